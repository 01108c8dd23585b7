import { X509Certificate } from "node:crypto";
import type { TlsMaterial } from "../../xds/server/mod.ts";

/** Who the server says it is, and until when, for `/status`. */
export function certificateStatus(
  { certificate }: TlsMaterial,
): { subject: string; notAfter: string; fingerprint: string } {
  const { subject, validToDate, fingerprint256 } = new X509Certificate(certificate); // checked before it was taken
  return { subject: subject.replaceAll("\n", ", "), notAfter: validToDate.toISOString(), fingerprint: fingerprint256 };
}
