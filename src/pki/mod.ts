/**
 * Certificates as values: what they shall say, when they are replaced, how an authority is. Keys and signatures are in
 * `pki/crypto/mod.ts`.
 * @module
 */
export {
  type AlternativeNames,
  type CertificateFacts,
  certificatesIn,
  EXTENDED_KEY_USAGES,
  type KeyAlgorithm,
  type PairReading,
  type WantedCertificate,
  wantedUsages,
} from "./certificate.ts";
export { alternativeNames, canonicalAddress } from "./names.ts";
export { BACKDATE_MS, renewalTime, validityOf } from "./validity.ts";
export { type CertificateReason, type CheckFinding, contentDifferences } from "./checks.ts";
export { judgeCertificate, type Judgement } from "./judge.ts";
export type { IssuerState, SecretState, Situation } from "./situation.ts";
export { forceTime, rememberSigning, successionTime, tellingTime } from "./rotation/lifetime.ts";
export { planRotation } from "./rotation/plan.ts";
export {
  bundleName,
  type EarlierRoot,
  type Root,
  type RotationInput,
  type RotationPhase,
  type RotationPlan,
  type RotationStatus,
  type RotationStep,
  type SignedLeaf,
} from "./rotation/state.ts";
export { certificateHash } from "./certificate_hash.ts";
