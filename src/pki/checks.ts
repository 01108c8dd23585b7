import { type CertificateFacts, type WantedCertificate, wantedUsages } from "./certificate.ts";
import type { Situation } from "./situation.ts";
import { renewalTime, validityOf } from "./validity.ts";

/** Why something is to be done, or cannot be done; a reason of the condition `UpToDate`. */
export type CertificateReason =
  | "InvalidSpec"
  | "SecretNotOwned"
  | "SecretIncomplete"
  | "SecretUnreadable"
  | "KeyMismatch"
  | "IssuerNotFound"
  | "IssuerNotReady"
  | "IssuerNotAllowed"
  | "SecretMissing"
  | "ContentChanged"
  | "IssuerChanged"
  | "NotYetValid"
  | "NearExpiry"
  | "TrustIncomplete";

/** What a check found. */
export interface CheckFinding {
  /** `report`: only people can help; `issue`: a new certificate; `complete`: `ca.crt` alone is written. */
  readonly do: "report" | "issue" | "complete";
  readonly reason: CertificateReason;
  /** One sentence for people. */
  readonly message: string;
}

/** Asks one question about a certificate; nothing means that all is well. */
export type Check = (situation: Situation) => CheckFinding | undefined;

/** A clock may be ahead of ours by so much before we take a certificate for one of another time. In milliseconds. */
const CLOCK_TOLERANCE_MS = 300_000;

/** Certificates that live less than nothing would be issued for ever (C5). */
export function specIsSound({ wanted }: Situation): CheckFinding | undefined {
  if (wanted.validFor >= 1) return undefined;
  return report("InvalidSpec", `validFor must be at least 1 second, not ${wanted.validFor}`);
}

/** A Secret of that name that was made by somebody else is left alone (C6). */
export function secretIsOurs({ secret }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || secret.ours) return undefined;
  return report(
    "SecretNotOwned",
    "The Secret was not made for this certificate and is left alone; delete it to have one",
  );
}

/** Both parts have to be there. */
export function secretHasKeys({ secret }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || secret.reading.kind !== "incomplete") return undefined;
  const missing = secret.reading.missing.join(" and ");
  return report("SecretIncomplete", `The Secret has no ${missing}; delete it to have a new one`);
}

/** Whatever it is, it is no certificate with a key. */
export function secretIsReadable({ secret }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || secret.reading.kind !== "unreadable") return undefined;
  return report("SecretUnreadable", `${secret.reading.problem}; delete the Secret to have a new one`);
}

/** The key is the key of the certificate. */
export function keyMatchesCertificate({ secret }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || secret.reading.kind !== "pair" || secret.reading.keyMatches) return undefined;
  return report(
    "KeyMismatch",
    "tls.key does not belong to the certificate in tls.crt; delete the Secret to have a new one",
  );
}

/** Without an issuer nothing can be done. */
export function issuerIsUsable({ issuer }: Situation): CheckFinding | undefined {
  return issuer.kind === "unusable" ? report(issuer.reason, issuer.problem) : undefined;
}

/** There is a certificate. */
export function secretExists({ secret }: Situation): CheckFinding | undefined {
  return secret.kind === "missing" ? issue("SecretMissing", "There is no Secret yet") : undefined;
}

/**
 * The certificate says what the spec asks for. Algorithm, dates and further usages are never compared, nor is a client's
 * missing usage, so that what an older program has issued stays in use until it is renewed.
 */
export function contentDiffers(situation: Situation): CheckFinding | undefined {
  const certificate = leafOf(situation);
  if (!certificate) return undefined;
  const differences = contentDifferences(certificate, situation.wanted);
  if (differences.length === 0) return undefined;
  return issue("ContentChanged", `The certificate has not the wanted ${differences.join(", ")}`);
}

/** It is signed by the CA that signs now. */
export function signedByIssuer({ issuer, secret }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || issuer.kind === "unusable") return undefined;
  const leaf = secret.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
  if (!leaf) return undefined;
  if (issuer.kind === "itself") {
    return leaf.selfSigned ? undefined : issue("IssuerChanged", "The certificate is not signed by its own key");
  }
  if (secret.signer?.fingerprint === issuer.certificate.fingerprint) return undefined;
  return issue("IssuerChanged", `The certificate is not signed by the present "${issuer.certificate.commonName}"`);
}

/** It has begun, as far as clocks can be trusted. */
export function hasBegun(situation: Situation): CheckFinding | undefined {
  const certificate = leafOf(situation);
  if (!certificate || certificate.notBefore <= situation.now + CLOCK_TOLERANCE_MS) return undefined;
  return issue("NotYetValid", `The certificate is not valid before ${timeText(certificate.notBefore)}`);
}

/** A fifth of its life is left, or a new one would last no longer because the issuer itself ends. */
export function notNearExpiry(situation: Situation): CheckFinding | undefined {
  const { now, wanted, issuer } = situation;
  const certificate = leafOf(situation);
  if (!certificate || now <= renewalTime(certificate, wanted)) return undefined;
  const next = validityOf(wanted, { now, issuer: issuer.kind === "usable" ? issuer.certificate : undefined });
  if (next.notAfter <= certificate.notAfter) return undefined;
  return issue("NearExpiry", `The certificate ends at ${timeText(certificate.notAfter)}`);
}

/** `ca.crt` holds exactly what is to be trusted; it is written without a new certificate. */
export function trustIsComplete({ secret, bundle }: Situation): CheckFinding | undefined {
  if (secret.kind === "missing" || secret.reading.kind !== "pair" || !bundle) return undefined;
  const found = secret.reading.trusted;
  if (found && sameCertificates(found, bundle)) return undefined;
  return {
    do: "complete",
    reason: "TrustIncomplete",
    message: found ? "ca.crt does not hold what is to be trusted now" : "The Secret has no ca.crt",
  };
}

/** What of the content is not as wanted, in words for people. */
export function contentDifferences(certificate: CertificateFacts, wanted: WantedCertificate): string[] {
  return [
    ...(certificate.commonName === wanted.commonName ? [] : ["common name"]),
    ...(sameNames(certificate, wanted) ? [] : ["alternative names"]),
    ...(certificate.isCA === wanted.isCA ? [] : ["basic constraints"]),
    ...(sameUsages(certificate, wanted) ? [] : ["extended key usage"]),
  ];
}

function sameNames({ names: found }: CertificateFacts, { names }: WantedCertificate): boolean {
  return same(found.dns, names.dns) && same(found.ips, names.ips) && same(found.uris, names.uris);
}

/** A certificate without the extension is one of an older program's clients or CAs. */
function sameUsages({ extendedKeyUsages: found }: CertificateFacts, wanted: WantedCertificate): boolean {
  return found.length === 0 ? !wanted.server : same(found, wantedUsages(wanted));
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, index) => text === b[index]);
}

function sameCertificates(a: readonly CertificateFacts[], b: readonly CertificateFacts[]): boolean {
  const names = (list: readonly CertificateFacts[]) => [...new Set(list.map(({ fingerprint }) => fingerprint))].sort();
  return same(names(a), names(b));
}

function leafOf({ secret }: Situation): CertificateFacts | undefined {
  return secret.kind === "found" && secret.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
}

function report(reason: CertificateReason, message: string): CheckFinding {
  return { do: "report", reason, message };
}

function issue(reason: CertificateReason, message: string): CheckFinding {
  return { do: "issue", reason, message };
}

function timeText(time: number): string {
  return new Date(time).toISOString().replace(".000", "");
}
