import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { Finding } from "../../../base/mod.ts";
import { subjectText } from "./subject.ts";

/** What a server needs to prove who it is, each PEM. */
export interface ServerMaterial {
  /** The server's certificate, followed by those of intermediate authorities. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** What mutual TLS needs, each PEM. */
export interface TlsMaterial extends ServerMaterial {
  /** The authorities that a client's certificate may come from. */
  readonly clientCa: string;
}

/** The fields of {@linkcode TlsMaterial} as messages call them. */
const NAMES: Readonly<Record<keyof TlsMaterial, string>> = {
  certificate: "server certificate",
  privateKey: "private key",
  clientCa: "client CA",
};

/** Material of either sort. */
export type AnyMaterial = ServerMaterial & Partial<TlsMaterial>;

/**
 * What is wrong with the material; nothing when it can be used. The check is needed because a secure context takes garbage
 * without a word here, and then refuses every client. Messages never show the bytes of a key.
 */
export function checkTlsMaterial(material: AnyMaterial, now: number): Finding[] {
  const findings: Finding[] = [];
  const chain = certificatesOf(material.certificate, { field: "certificate", findings });
  const key = keyOf(material, findings);
  const authorities = material.clientCa === undefined
    ? []
    : certificatesOf(material.clientCa, { field: "clientCa", findings });
  const leaf = chain[0];
  if (leaf && key && !leaf.checkPrivateKey(key)) {
    findings.push(error("privateKey", "The private key does not belong to the server certificate"));
  }
  for (const certificate of [...chain.slice(0, 1), ...authorities]) {
    const field = certificate === leaf ? "certificate" : "clientCa";
    findings.push(...validity(certificate, { field, now }));
  }
  return findings;
}

/** The blocks `CERTIFICATE` of a PEM text. */
export function pemCertificates(text: string): string[] {
  return text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
}

function certificatesOf(
  text: string,
  { field, findings }: { field: "certificate" | "clientCa"; findings: Finding[] },
): X509Certificate[] {
  const blocks = pemCertificates(text);
  if (blocks.length === 0) {
    findings.push(error(field, `Cannot read the ${NAMES[field]}: there is no PEM block "CERTIFICATE"`));
    return [];
  }
  return blocks.flatMap((pem, index) => {
    try {
      return [new X509Certificate(pem)];
    } catch {
      findings.push(error(field, `Cannot read the ${NAMES[field]}: certificate ${index + 1} is not valid`));
      return [];
    }
  });
}

function keyOf({ privateKey }: ServerMaterial, findings: Finding[]): KeyObject | undefined {
  try {
    return createPrivateKey(privateKey);
  } catch {
    // The error of the library is not shown: it may quote its input.
    findings.push(error("privateKey", "Cannot read the private key: it is no unencrypted PEM key"));
    return undefined;
  }
}

/** Out of date is no reason to refuse: the clock may be wrong, and clients that do not look go on. */
function validity(
  certificate: X509Certificate,
  { field, now }: { field: "certificate" | "clientCa"; now: number },
): Finding[] {
  const about = `The ${NAMES[field]} "${subjectText(certificate)}"`;
  if (now > Date.parse(certificate.validTo)) return [warning(field, `${about} expired on ${certificate.validTo}`)];
  if (now < Date.parse(certificate.validFrom)) {
    return [warning(field, `${about} is not valid before ${certificate.validFrom}`)];
  }
  return [];
}

function error(field: keyof TlsMaterial, message: string): Finding {
  return { severity: "error", path: [field], message, rule: "tls-material" };
}

function warning(field: keyof TlsMaterial, message: string): Finding {
  return { severity: "warning", path: [field], message, rule: "tls-validity" };
}
