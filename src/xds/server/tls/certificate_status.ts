import { X509Certificate } from "node:crypto";
import type { ServerMaterial } from "./tls_material.ts";
import { subjectText } from "./subject.ts";

/** Who the server says it is, and until when, for a status or a log line. */
export function certificateStatus(
  { certificate }: ServerMaterial,
): { subject: string; notAfter: string; fingerprint: string } {
  const parsed = new X509Certificate(certificate); // checked before it was taken
  const { validToDate, fingerprint256 } = parsed;
  return { subject: subjectText(parsed), notAfter: validToDate.toISOString(), fingerprint: fingerprint256 };
}
