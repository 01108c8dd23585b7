import { X509Certificate } from "node:crypto";
import { pemCertificates } from "./tls_material.ts";
import type { TlsMaterial } from "./tls_material.ts";

/** SHA-256 of each certificate that clients' certificates may come from, in lower-case hex. The material must have been checked. */
export function trustedFingerprints({ clientCa }: Pick<TlsMaterial, "clientCa">): string[] {
  return pemCertificates(clientCa).map((pem) => {
    return new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
  });
}
