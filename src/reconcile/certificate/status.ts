import { condition, mergeConditions, type ReasonOf, sameStatus, type WantedCondition } from "../../api/mod.ts";
import type {
  CertificateRotation,
  DiscoveryServiceCertificate,
  DiscoveryServiceCertificateStatus,
} from "../../api/operator/mod.ts";
import type { CertificateFacts, CertificateReason, Judgement, WantedCertificate } from "../../pki/mod.ts";
import { keyOf } from "../engine/object_source.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import type { CertificateInput } from "./inputs.ts";

/** A certificate that is renewed has a fifth of its life left at most; what gets below this share was not renewed. */
const SOON_SHARE = 0.1;

/** What was decided, to be told. */
export interface Decided {
  readonly judgement: Judgement;
  readonly wanted: WantedCertificate;
  readonly paused: boolean;
  /** Of a certificate authority: how far a change is, and further conditions. */
  readonly rotation?: CertificateRotation | undefined;
  readonly conditions?: readonly WantedCondition[];
}

type Told = Pick<CertificateInput, "now" | "object" | "secret"> & Partial<Pick<CertificateInput, "permission">>;

/** The status of a certificate, `undefined` when it is as it was, and what is worth an Event. */
export function certificateStatus(
  input: Told,
  decided: Decided,
): { status: DiscoveryServiceCertificateStatus | undefined; events: readonly PlannedEvent[] } {
  const { now, object, secret } = input;
  const { judgement } = decided;
  const before = object.status ?? {};
  const wanted = [...conditionsOf(input, decided), ...decided.conditions ?? []];
  const { certificate } = judgement;
  const rotation = decided.rotation ?? before.rotation;
  const status: DiscoveryServiceCertificateStatus = {
    ready: judgement.ready,
    ...(certificate && { notBefore: timeText(certificate.notBefore), notAfter: timeText(certificate.notAfter) }),
    ...(secret?.hash !== undefined && certificate && { certificateHash: secret.hash }),
    ...(object.metadata.generation !== undefined && { observedGeneration: object.metadata.generation }),
    ...(rotation && { rotation }),
    conditions: mergeConditions(before.conditions ?? [], wanted, { now, removed: goneTypes(wanted) }),
  };
  return { status: sameStatus(before, status) ? undefined : status, events: eventsOf(object, wanted) };
}

/** From when on a certificate should have been replaced. */
export function soonTime({ notAfter }: Pick<CertificateFacts, "notAfter">, { validFor }: WantedCertificate): number {
  return notAfter - Math.floor(validFor * 1000 * SOON_SHARE);
}

/** The first of several times that is still to come. */
export function nextTime(now: number, times: readonly (number | undefined)[]): number | undefined {
  return times.filter((time) => time !== undefined).filter((time) => time > now).sort((a, b) => a - b)[0];
}

/** RFC 3339 in whole seconds, as Kubernetes writes times. */
export function timeText(time: number): string {
  return new Date(Math.ceil(time / 1000) * 1000).toISOString().replace(".000", "");
}

function conditionsOf(input: Told, decided: Decided): WantedCondition[] {
  const { now, object, permission } = input;
  const { judgement, wanted, paused } = decided;
  const { certificate, notReady } = judgement;
  const observed = object.metadata.generation === undefined ? {} : { observedGeneration: object.metadata.generation };
  const upToDate = upToDateReason(judgement);
  const conditions = [
    notReady === undefined
      ? condition("Ready", {
        ...{ status: "True", reason: "CertificateUsable", message: "The certificate can be used", ...observed },
      })
      : condition("Ready", { status: "False", reason: "CertificateNotUsable", message: notReady, ...observed }),
    upToDate === "AsWanted"
      ? condition("UpToDate", {
        status: "True",
        reason: upToDate,
        message: "The certificate is as wanted",
        ...observed,
      })
      : condition("UpToDate", {
        ...{ status: "False", reason: upToDate, message: judgement.finding?.message ?? "", ...observed },
      }),
  ];
  if (paused) {
    const message = "The annotation says to leave it alone";
    conditions.push(condition("Reconciled", { status: "False", reason: "Paused", message, ...observed }));
  }
  if (certificate) {
    const soon = soonTime(certificate, wanted);
    const at = timeText(certificate.notAfter);
    if (now >= certificate.notAfter) {
      const message = `The certificate has ended at ${at}`;
      conditions.push(condition("ExpiresSoon", { status: "True", reason: "Ended", message, ...observed }));
    } else if (now >= soon) {
      const message = `The certificate ends at ${at} and was not renewed`;
      conditions.push(condition("ExpiresSoon", { status: "True", reason: "EndsSoon", message, ...observed }));
    } else if (object.status?.conditions?.some(({ type }) => type === "ExpiresSoon")) {
      const message = "There is time";
      conditions.push(condition("ExpiresSoon", { status: "False", reason: "NotSoon", message, ...observed }));
    }
  }
  if (permission === "not-allowed") {
    const message = "The Secret of the certificate authority does not allow this namespace; later this will be refused";
    conditions.push(condition("IssuerAllowed", { status: "False", reason: "NotAllowed", message, ...observed }));
  } else if (permission === "allowed") {
    const message = "The Secret of the certificate authority allows this namespace";
    conditions.push(
      condition("IssuerAllowed", { status: "True", reason: "AllowedByAnnotation", message, ...observed }),
    );
  }
  return conditions;
}

function upToDateReason({ finding, held }: Judgement): ReasonOf<"UpToDate"> {
  if (held === "renewal-off") return "RenewalDisabled";
  if (held === "issuer-not-trusted") return "IssuerNotTrusted";
  const reason: CertificateReason | undefined = finding?.reason;
  return reason ?? "AsWanted";
}

/** Conditions that are only there while they say something. */
function goneTypes(wanted: readonly WantedCondition[]) {
  const types = new Set(wanted.map(({ type }) => type));
  return (["Reconciled", "IssuerAllowed"] as const).filter((type) => !types.has(type));
}

/** Told once, when it begins: what only people can change, and an end that comes near. */
const WARNED = [
  ...["InvalidSpec", "SecretNotOwned", "SecretIncomplete", "SecretUnreadable", "KeyMismatch"] as const,
  ...["IssuerNotFound", "IssuerNotAllowed", "NotAllowed", "EndsSoon", "Ended"] as const,
];

function eventsOf(object: DiscoveryServiceCertificate, wanted: readonly WantedCondition[]): PlannedEvent[] {
  const before = new Map((object.status?.conditions ?? []).map(({ type, reason }) => [type, reason]));
  return wanted.flatMap(({ type, reason, message }): PlannedEvent[] => {
    const warned = WARNED.find((one) => one === reason);
    if (warned === undefined || before.get(type) === reason) return [];
    return [{ about: keyOf(object), type: "Warning", reason: warned, message }];
  });
}
