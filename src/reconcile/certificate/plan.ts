import {
  certificateSettings,
  type DiscoveryServiceCertificate,
  type DiscoveryServiceCertificateStatus,
  namespaceUri,
  nodeIdUri,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import {
  type CertificateFacts,
  type IssuerState,
  judgeCertificate,
  type SecretState,
  type WantedCertificate,
} from "../../pki/mod.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import type { CertificateInput, FoundSecret } from "./inputs.ts";
import { isSecretOf, lacksReference } from "./ownership.ts";
import { certificateStatus, nextTime, soonTime } from "./status.ts";
import { wantedCertificate } from "./wanted.ts";

/** What is written into the Secret of a certificate. */
export type SecretWrite =
  | { readonly do: "nothing" }
  /** A new key and certificate. */
  | { readonly do: "issue"; readonly wanted: WantedCertificate }
  /** `ca.crt` alone. */
  | { readonly do: "complete"; readonly bundle: readonly CertificateFacts[] }
  /** The owner reference alone. */
  | { readonly do: "own" };

/** What is to be done about a certificate. */
export interface CertificatePlan {
  readonly secret: SecretWrite;
  /** The status to write; `undefined` when the present one says the same (C18). */
  readonly status: DiscoveryServiceCertificateStatus | undefined;
  readonly events: readonly PlannedEvent[];
  /** When to look again though nothing changes. */
  readonly next: number | undefined;
}

/** Plans for one certificate that is signed by a CA, or by its own key without being one. */
export function planCertificate(input: CertificateInput): CertificatePlan {
  const { now, object, secret, bundle } = input;
  if (object.metadata.deletionTimestamp !== undefined) {
    return { secret: { do: "nothing" }, status: undefined, events: [], next: undefined };
  }
  const wanted = wantedCertificate(object);
  const { renewal } = certificateSettings(object);
  const issuer = issuerOf(input);
  const trusted = bundle ?? ownRoot(secret);
  const judgement = judgeCertificate({
    ...{ now, wanted, renewal, issuer, bundle: trusted },
    secret: secretState(secret, input),
  });
  const paused = object.metadata.annotations?.[OPERATOR_ANNOTATIONS.paused] === "true";
  const { status, events } = certificateStatus(input, { judgement, wanted, paused });
  const { certificate } = judgement;
  const next = nextTime(now, [judgement.next, certificate && soonTime(certificate, wanted)]);
  return { secret: paused ? { do: "nothing" } : write(), status, events, next };

  function write(): SecretWrite {
    if (judgement.do === "issue") return { do: "issue", wanted };
    if (judgement.do === "complete") return { do: "complete", bundle: trusted ?? [] };
    const owns = secret && isSecretOf(secret.metadata, object) && lacksReference(secret.metadata, object);
    return { do: owns ? "own" : "nothing" };
  }
}

/** The Secret as the judge sees it. */
export function secretState(
  secret: FoundSecret | undefined,
  { object }: Pick<CertificateInput, "object">,
): SecretState {
  if (!secret) return { kind: "missing" };
  const { metadata, reading, signer } = secret;
  return { kind: "found", ours: isSecretOf(metadata, object), reading, signer };
}

/** Without permission nobody gets a first certificate, and with strict rules no further one (S8). */
function issuerOf({ object, issuer, permission, strictIssuers, secret, now }: CertificateInput): IssuerState {
  const foreign = permission === "same-namespace" ? undefined : foreignRight(object);
  if (foreign !== undefined && issuer.kind !== "unusable") {
    return {
      kind: "unusable",
      reason: "IssuerNotAllowed",
      problem: `A certificate authority of another namespace does not grant ${JSON.stringify(foreign)} here`,
    };
  }
  if (permission !== "not-allowed" || issuer.kind === "unusable") return issuer;
  const leaf = secret?.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
  const holds = leaf !== undefined && secret?.signer !== undefined && leaf.notAfter > now;
  if (holds && !strictIssuers) return issuer;
  const { name, namespace } = certificateSettings(object).issuer ?? { name: "", namespace: "" };
  return {
    kind: "unusable",
    reason: "IssuerNotAllowed",
    problem: `Secret "${namespace}/${name}" does not allow it: its annotation ${OPERATOR_ANNOTATIONS.allowIssuingTo} ` +
      `has to name "${object.metadata.namespace ?? ""}"`,
  };
}

/**
 * A URI that grants node ids of another namespace: whoever may have certificates signed by the CA of that namespace could otherwise
 * read what is served there (I17).
 */
function foreignRight(
  { metadata: { namespace = "" }, spec: { uris = [] } }: DiscoveryServiceCertificate,
): string | undefined {
  const own = nodeIdUri(namespace, "");
  return uris.find((uri) => {
    return uri.toLowerCase().startsWith("urn:chancery:") && uri !== namespaceUri(namespace) && !uri.startsWith(own);
  });
}

/** What is signed by its own key is all there is to trust. */
function ownRoot(secret: FoundSecret | undefined): readonly CertificateFacts[] | undefined {
  const leaf = secret?.reading.kind === "pair" ? secret.reading.chain[0] : undefined;
  return leaf?.selfSigned ? [leaf] : undefined;
}
