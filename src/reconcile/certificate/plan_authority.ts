import { condition, type WantedCondition } from "../../api/mod.ts";
import {
  certificateSettings,
  type DiscoveryServiceCertificateStatus,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import {
  bundleName,
  type CertificateFacts,
  certificatesIn,
  forceTime,
  judgeCertificate,
  type Judgement,
  planRotation,
  renewalTime,
  type RotationStep,
  type SecretState,
  successionTime,
  tellingTime,
  type WantedCertificate,
} from "../../pki/mod.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import type { AuthorityInput, FoundSecret } from "./inputs.ts";
import { isSecretOf, lacksReference } from "./ownership.ts";
import { secretState } from "./plan.ts";
import { readRotation, writeRotation } from "./rotation_status.ts";
import { certificateStatus, nextTime, soonTime } from "./status.ts";
import { wantedCertificate } from "./wanted.ts";

/** What is to be done about a certificate authority that signs itself. */
export interface AuthorityPlan {
  /** One write at most; afterwards it is looked at again. */
  readonly step: RotationStep;
  /** What a step that makes a certificate makes. */
  readonly wanted: WantedCertificate;
  /** Fingerprints of what is to be trusted. */
  readonly bundle: readonly string[];
  /** Whether the Secret beside it is to be written: `ca.crt`, or, where the key is kept elsewhere, all of it. */
  readonly complete: boolean;
  /** Whether it signs now, and whether what it signs is trusted everywhere. */
  readonly signs: boolean;
  readonly trusted: boolean;
  readonly status: DiscoveryServiceCertificateStatus | undefined;
  readonly events: readonly PlannedEvent[];
  readonly next: number | undefined;
}

/** Plans for one certificate authority. A new one never takes the place of the present one before everybody trusts it (A3). */
export function planAuthority(input: AuthorityInput): AuthorityPlan {
  const { now, object, secret, next } = input;
  const { annotations = {} } = object.metadata;
  const wanted = wantedCertificate(object);
  const { renewal } = certificateSettings(object);
  const rotation = readRotation(object.status?.rotation);
  const current = rootOf(secret);
  const judge = (state: SecretState) =>
    judgeCertificate({
      ...{ now, wanted, renewal, issuer: { kind: "itself" }, bundle: undefined },
      secret: state,
    });
  const held = secretState(secret, input);
  const judgement = judge(held);
  const successor = rootOf(next);
  const life = { validFor: wanted.validFor, trustDelayMs: input.trustDelayMs };
  const succession = current && renewal ? successionTime(current, life) : undefined;
  const plan = planRotation({
    ...{ now, status: rotation, current, next: successor, trustDelayMs: tellingTime(life) },
    ours: judgement.finding?.reason !== "SecretNotOwned",
    due: whyDue(input, { judgement, current, succession }),
    nextFits: successor !== undefined && fits(input, { successor, wanted }),
    ...{ bundle: input.published, known: input.known, leaves: input.leaves, servers: input.servers },
    distrusted: (annotations[OPERATOR_ANNOTATIONS.distrust] ?? "").split(",").map((text) => text.trim()),
    forceAt: forceAt(input, { current, wanted }),
  });
  const paused = annotations[OPERATOR_ANNOTATIONS.paused] === "true";
  // A Secret that cannot be read is not a lost one: somebody has to say what it is (C6).
  const stuck = paused || object.metadata.deletionTimestamp !== undefined || wanted.validFor < 1 ||
    (secret !== undefined && current === undefined);
  const step: RotationStep = stuck ? { do: "wait", for: [], until: undefined } : plan.step;
  const remembered = step.do === "remember" ? step.status : rotation;
  const { status, events } = certificateStatus(input, {
    // Somebody's Secret in the place where the CA is to be shown is left alone, and told of.
    judgement: held.kind === "found" && isForeign(input) ? judge({ ...held, ours: false }) : judgement,
    ...{ wanted, paused },
    rotation: remembered && writeRotation(remembered),
    conditions: remembered ? [rotating(step, remembered.phase)] : [],
  });
  const complete = !stuck && current !== undefined && !isComplete(input, { current, bundle: plan.bundle });
  const soon = current && soonTime(current, wanted);
  const look = nextTime(now, [
    judgement.next,
    soon,
    succession && succession + 1,
    step.do === "wait" ? step.until : undefined,
  ]);
  return { ...plan, step, wanted, complete, status, events, next: look };
}

function whyDue(
  { now, object }: AuthorityInput,
  { judgement, current, succession }: {
    judgement: Judgement;
    current: CertificateFacts | undefined;
    succession: number | undefined;
  },
): string | undefined {
  const { finding, held } = judgement;
  if (finding?.do === "issue" && !held && finding.reason !== "SecretMissing") return finding.message;
  if (succession !== undefined && now > succession) {
    return "It ends before everybody could be told of another one later";
  }
  const asked = object.metadata.annotations?.[OPERATOR_ANNOTATIONS.rotate];
  // The wish names itself after the certificate that is to go, so that it is fulfilled once and not for ever.
  return asked !== undefined && asked === current?.fingerprint ? "Somebody asks for another one" : undefined;
}

/** Whether a successor that was made earlier is what would be made now. */
function fits(
  { now }: AuthorityInput,
  { successor, wanted }: { successor: CertificateFacts; wanted: WantedCertificate },
): boolean {
  const judged = judgeCertificate({
    ...{ now, wanted, renewal: true, issuer: { kind: "itself" }, bundle: undefined },
    secret: {
      ...{ kind: "found", ours: true, signer: successor },
      reading: { kind: "pair", chain: [successor], keyMatches: true, trusted: undefined },
    },
  });
  return judged.finding === undefined && now <= renewalTime(successor, wanted);
}

/** A lost CA cannot renew what it signed: nobody is waited for longer than that lasts. */
function forceAt(
  { leaves, known, object }: AuthorityInput,
  { current, wanted }: { current: CertificateFacts | undefined; wanted: WantedCertificate },
): number {
  const root = current ?? known.find(({ fingerprint }) => fingerprint === object.status?.rotation?.current);
  const end = root ? forceTime(root, wanted.validFor) : Infinity;
  return current ? end : Math.min(end, ...leaves.filter(({ ours }) => ours).map(({ notAfter }) => notAfter));
}

/** Whether the Secret beside the CA says all it shall; nobody else's is ever written. */
function isComplete(
  { object, secret, shown }: AuthorityInput,
  { current, bundle }: { current: CertificateFacts; bundle: readonly string[] },
): boolean {
  const beside = shown ? shown.secret : secret;
  if (!beside) return false;
  const { metadata, reading } = beside;
  if (!isSecretOf(metadata, object)) return true;
  const said = shown && reading.kind === "pair" ? undefined : certificatesIn(reading); // with a key it says too much
  const trusted = said?.trusted?.map(({ fingerprint }) => fingerprint) ?? [];
  return said?.chain[0].fingerprint === current.fingerprint && bundleName(trusted) === bundleName(bundle) &&
    !lacksReference(metadata, object);
}

function isForeign({ object, shown }: AuthorityInput): boolean {
  return shown?.secret !== undefined && !isSecretOf(shown.secret.metadata, object);
}

function rootOf(secret: FoundSecret | undefined): CertificateFacts | undefined {
  return secret?.reading.kind === "pair" && secret.reading.keyMatches ? secret.reading.chain[0] : undefined;
}

function rotating(step: RotationStep, phase: "Stable" | "Trust" | "Sign" | "Retire"): WantedCondition {
  const names = step.do === "wait" ? step.for.slice(0, 10).join(", ") : "";
  const waits = names === "" ? "" : `; waiting for ${names}`;
  switch (phase) {
    case "Trust":
      return condition("Rotating", {
        ...{ status: "True", reason: "NextIsTold" },
        message: `Everybody is being told to trust the next certificate authority${waits}`,
      });
    case "Sign":
      return condition("Rotating", {
        ...{ status: "True", reason: "NextSigns" },
        message: `What the earlier certificate authority signed is being issued again${waits}`,
      });
    case "Retire":
      return condition("Rotating", {
        ...{ status: "True", reason: "EarlierIsTrusted" },
        message: "The earlier certificate authority is trusted until what it signed has ended",
      });
    case "Stable":
      return condition("Rotating", {
        ...{ status: "False", reason: "NotRotating", message: "There is one certificate authority" },
      });
  }
}
