/**
 * The role `cert-manager`: certificates are issued, renewed and rotated, apart from the operator.
 * @module
 */
export { type CertManagerOptions, runCertManager } from "./run.ts";
