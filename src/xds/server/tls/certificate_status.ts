import { X509Certificate } from "node:crypto";
import type { ServerMaterial } from "./tls_material.ts";

/** Who the server says it is, and until when, for a status or a log line. */
export function certificateStatus(
  { certificate }: ServerMaterial,
): { subject: string; notAfter: string; fingerprint: string } {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(certificate); // checked before it was taken
  return { subject: subject.replaceAll("\n", ", "), notAfter: validToDate.toISOString(), fingerprint: fingerprint256 };
}
