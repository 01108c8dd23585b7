/**
 * Keys, signatures and the reading of PEM. Apart from `pki/mod.ts` because it needs `node:crypto`, Web Crypto and a library.
 * @module
 */
export { issueCertificate, type IssuedPair, type IssueOptions, type Issuer } from "./issue.ts";
export { readCertificates, readPair, readPrivateKey, signerOf } from "./read.ts";
