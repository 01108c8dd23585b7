import type { X509Certificate } from "node:crypto";

/** Whose a certificate is, in one line: its subject, or its names where that is empty, as cert-manager.io makes them. */
export function subjectText({ subject, subjectAltName }: X509Certificate): string {
  // The types promise a text; there is none where the subject is empty.
  const text = (subject as string | undefined)?.trim().replaceAll("\n", ", ");
  return text || (subjectAltName ?? "no name");
}
