import type { CertificateFacts } from "./certificate.ts";
import {
  type Check,
  type CheckFinding,
  contentDiffers,
  hasBegun,
  issuerIsUsable,
  keyMatchesCertificate,
  notNearExpiry,
  secretExists,
  secretHasKeys,
  secretIsOurs,
  secretIsReadable,
  signedByIssuer,
  specIsSound,
  trustIsComplete,
} from "./checks.ts";
import type { Situation } from "./situation.ts";
import { BACKDATE_MS, renewalTime } from "./validity.ts";

/** The questions in their order; the first finding wins. */
const CHECKS: readonly Check[] = [
  specIsSound,
  secretIsOurs,
  secretHasKeys,
  secretIsReadable,
  keyMatchesCertificate,
  issuerIsUsable,
  secretExists,
  contentDiffers,
  signedByIssuer,
  hasBegun,
  notNearExpiry,
  trustIsComplete,
];

/**
 * A certificate of an earlier CA is replaced so long before it ends, whoever trusts the new CA; one that does not live long when a tenth
 * of its life is left. In milliseconds.
 */
const LAST_MOMENT_MS = 120_000;
const LAST_MOMENT_SHARE = 0.1;

/** What is to be done about a certificate. */
export interface Judgement {
  /** `keep`: nothing; `report`: nothing that we can do. */
  readonly do: "keep" | CheckFinding["do"];
  /** The first finding; nothing when all is well. */
  readonly finding: CheckFinding | undefined;
  /** Why a new certificate is not issued though the finding asks for one. */
  readonly held: "renewal-off" | "issuer-not-trusted" | undefined;
  /** Whether the certificate that is there can be used now. */
  readonly ready: boolean;
  /** Why not. */
  readonly notReady: string | undefined;
  /** The certificate that is there. */
  readonly certificate: CertificateFacts | undefined;
  /** When to look again though nothing changes. */
  readonly next: number | undefined;
}

/** Decides about one certificate. */
export function judgeCertificate(situation: Situation): Judgement {
  const certificate = certificateOf(situation);
  const finding = firstFinding(situation);
  const held = finding?.do === "issue" ? whyHeld(situation, certificate) : undefined;
  const notReady = whyNotReady(situation, certificate);
  return {
    do: finding?.do === "issue" && !held ? "issue" : completes(situation) ? "complete" : finding ? "report" : "keep",
    finding,
    held,
    ready: notReady === undefined,
    notReady,
    certificate,
    next: certificate && nextLook(situation, { certificate, held }),
  };
}

function certificateOf({ secret }: Situation): CertificateFacts | undefined {
  return secret.kind === "found" && secret.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
}

/** Who switches renewal off keeps the certificate whatever happens to it; there is always a first one. */
function whyHeld(situation: Situation, certificate: CertificateFacts | undefined): Judgement["held"] {
  const { now, renewal, secret, issuer } = situation;
  if (secret.kind === "missing") return undefined;
  if (!renewal) return "renewal-off";
  if (issuer.kind !== "usable" || issuer.trusted || !certificate) return undefined;
  const other = secret.signer !== undefined && secret.signer.fingerprint !== issuer.certificate.fingerprint;
  return other && now < lastMoment(certificate) ? "issuer-not-trusted" : undefined;
}

function lastMoment({ notBefore, notAfter }: CertificateFacts): number {
  const life = notAfter - notBefore - BACKDATE_MS;
  return notAfter - Math.min(LAST_MOMENT_MS, Math.floor(Math.max(0, life) * LAST_MOMENT_SHARE));
}

/** Whether `ca.crt` is to be written: also while nothing can be issued, for others need it to trust what comes next. */
function completes(situation: Situation): boolean {
  const { secret } = situation;
  if (secret.kind === "missing" || !secret.ours || secret.reading.kind !== "pair") return false;
  return secret.reading.keyMatches && trustIsComplete(situation) !== undefined;
}

function firstFinding(situation: Situation): CheckFinding | undefined {
  for (const check of CHECKS) {
    const finding = check(situation);
    if (finding) return finding;
  }
  return undefined;
}

function whyNotReady(
  { now, secret, issuer }: Situation,
  certificate: CertificateFacts | undefined,
): string | undefined {
  if (secret.kind === "missing") return "There is no Secret";
  if (!certificate || secret.reading.kind !== "pair") return "The Secret holds no certificate with its key";
  if (!secret.reading.keyMatches) return "The key does not belong to the certificate";
  if (now < certificate.notBefore) return "The certificate is not valid yet";
  if (now >= certificate.notAfter) return "The certificate has expired";
  if (issuer.kind === "usable" && !secret.signer) return "The certificate is signed by none of the trusted CAs";
  if (issuer.kind === "itself" && !certificate.selfSigned) return "The certificate is not signed by its own key";
  return undefined;
}

/** When its state changes by itself next. */
function nextLook(
  { now, wanted, renewal }: Situation,
  { certificate, held }: { certificate: CertificateFacts; held: Judgement["held"] },
): number | undefined {
  const times = [
    certificate.notBefore,
    ...(renewal ? [renewalTime(certificate, wanted) + 1] : []),
    ...(held === "issuer-not-trusted" ? [lastMoment(certificate)] : []),
    certificate.notAfter + 1000, // so that `ready` turns false
  ];
  return times.filter((time) => time > now).sort((a, b) => a - b)[0];
}
