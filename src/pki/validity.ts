import type { CertificateFacts, WantedCertificate } from "./certificate.ts";

/** A certificate begins so long before it is issued, because clocks differ. In milliseconds. */
export const BACKDATE_MS = 60_000;

/** The share of its life that a certificate still has when it is replaced. */
const RENEWAL_SHARE = 0.2;

/** When a certificate that is issued now begins and ends, in whole seconds; never longer than its issuer lives. */
export function validityOf(
  wanted: Pick<WantedCertificate, "validFor">,
  options: { now: number; issuer?: Pick<CertificateFacts, "notAfter"> | undefined },
): { notBefore: number; notAfter: number } {
  const begin = Math.floor(options.now / 1000) * 1000;
  const end = begin + wanted.validFor * 1000;
  return { notBefore: begin - BACKDATE_MS, notAfter: Math.min(end, options.issuer?.notAfter ?? end, LAST_MS) };
}

/** The last second that X.509 can write. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

/**
 * When a certificate is to be replaced: when a fifth of `validFor` is left, or of its actual life where that is shorter
 * because its issuer's was.
 */
export function renewalTime(
  certificate: Pick<CertificateFacts, "notBefore" | "notAfter">,
  { validFor }: Pick<WantedCertificate, "validFor">,
): number {
  const life = Math.min(validFor * 1000, certificate.notAfter - certificate.notBefore);
  return certificate.notAfter - Math.floor(life * RENEWAL_SHARE / 1000) * 1000;
}
