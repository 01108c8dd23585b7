import "reflect-metadata";
import { createHash, createPrivateKey, type KeyObject, X509Certificate as NodeCertificate } from "node:crypto";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
} from "@peculiar/x509";
import { alternativeNames } from "../names.ts";
import type { CertificateFacts, PairReading } from "../certificate.ts";
import { pemBlocks, pemText } from "./pem.ts";

/** Keys under which a Secret of type `kubernetes.io/tls` holds its parts. */
const CERTIFICATE = "tls.crt";
const KEY = "tls.key";
const TRUSTED = "ca.crt";

/**
 * Reads what a TLS Secret holds, given the bytes of a key. Whatever the bytes are, this answers: somebody else may have written
 * them (C6). No message repeats what the libraries say, which may quote the input. Where the key is said to be kept elsewhere, the rest
 * is read without it.
 */
export function readPair(
  bytesOf: (key: string) => Uint8Array | undefined,
  { keyElsewhere = false }: { keyElsewhere?: boolean } = {},
): PairReading {
  const certificateBytes = bytesOf(CERTIFICATE);
  const keyBytes = bytesOf(KEY);
  const missing = [...(certificateBytes ? [] : [CERTIFICATE]), ...(keyBytes ? [] : [KEY])];
  if (!certificateBytes || (!keyBytes && !keyElsewhere)) return { kind: "incomplete", missing };
  const [first, ...rest] = readCertificates(certificateBytes) ?? [];
  if (!first) return { kind: "unreadable", problem: `${CERTIFICATE} is no certificate that can be read` };
  const trustedBytes = bytesOf(TRUSTED);
  const read = { chain: [first, ...rest] as const, trusted: trustedBytes && readCertificates(trustedBytes) };
  if (!keyBytes) return { kind: "incomplete", missing, shown: read };
  const key = readPrivateKey(keyBytes);
  if (typeof key === "string") return { kind: "unreadable", problem: `${KEY} is ${key}` };
  return { kind: "pair", ...read, keyMatches: belongsTo(first, key) };
}

/** All certificates of a PEM text, in their order; `undefined` when there is none, or one of them cannot be read. */
export function readCertificates(bytes: Uint8Array): CertificateFacts[] | undefined {
  const blocks = pemBlocks(bytes).filter(({ label }) => label === "CERTIFICATE" || label === "X509 CERTIFICATE");
  if (blocks.length === 0) return undefined;
  try {
    return blocks.map(({ text }) => factsOf(text));
  } catch {
    return undefined;
  }
}

/** A private key of PKCS #8, SEC 1 or PKCS #1; otherwise what is wrong with it. */
export function readPrivateKey(bytes: Uint8Array): KeyObject | string {
  const blocks = pemBlocks(bytes);
  const block = blocks.find(({ label }) => /^(?:EC |RSA )?PRIVATE KEY$/.test(label)); // EC PARAMETERS may come before it
  if (!block) {
    return blocks.some(({ label }) => label === "ENCRYPTED PRIVATE KEY")
      ? "encrypted"
      : "no private key that can be read";
  }
  try {
    return createPrivateKey({ key: block.text, format: "pem" });
  } catch {
    return "no private key that can be read";
  }
}

/** The first of the possible issuers whose key has signed a certificate. */
export function signerOf(
  certificate: CertificateFacts,
  candidates: readonly CertificateFacts[],
): CertificateFacts | undefined {
  const read = new NodeCertificate(certificate.pem);
  return candidates.find((candidate) => {
    try {
      const issuer = new NodeCertificate(candidate.pem);
      return read.checkIssued(issuer) && read.verify(issuer.publicKey);
    } catch {
      return false; // an algorithm that the library does not know is no signature that it can confirm
    }
  });
}

function belongsTo(certificate: CertificateFacts, key: KeyObject): boolean {
  try {
    return new NodeCertificate(certificate.pem).checkPrivateKey(key);
  } catch {
    return false;
  }
}

/** Throws when it is no certificate. */
function factsOf(text: string): CertificateFacts {
  const node = new NodeCertificate(text);
  const der = new Uint8Array(node.raw);
  const parsed = new X509Certificate(der);
  const names = parsed.getExtension(SubjectAlternativeNameExtension)?.names.toJSON() ?? [];
  const of = (type: string) => names.filter((name) => name.type === type).map(({ value }) => String(value));
  return {
    pem: pemText("CERTIFICATE", der.toBase64()),
    fingerprint: createHash("sha256").update(der).digest("hex"),
    commonName: parsed.subjectName.getField("CN")[0] ?? "",
    names: alternativeNames([...of("dns"), ...of("ip")], { uris: of("url") }),
    isCA: parsed.getExtension(BasicConstraintsExtension)?.ca ?? false,
    extendedKeyUsages: (parsed.getExtension(ExtendedKeyUsageExtension)?.usages ?? []).map(String).sort(),
    notBefore: parsed.notBefore.getTime(),
    notAfter: parsed.notAfter.getTime(),
    serialNumber: parsed.serialNumber.toLowerCase(),
    selfSigned: signedByItself(node),
  };
}

/** Not by the names of subject and issuer alone, which may be equal by chance. */
function signedByItself(certificate: NodeCertificate): boolean {
  // An empty subject is none here, and an empty issuer an empty text.
  if ((certificate.subject ?? "") !== (certificate.issuer ?? "")) return false;
  try {
    return certificate.verify(certificate.publicKey);
  } catch {
    return false;
  }
}
