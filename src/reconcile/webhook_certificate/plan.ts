import { type CertificateFacts, contentDifferences, renewalTime, type WantedCertificate } from "../../pki/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { FoundConfiguration, FoundPair, WebhookCertificateInput } from "./inputs.ts";
import { isServedBy, isTrustedBy, nameOf, type UsablePair, usablePair, wantedTrust } from "./trust.ts";
import { wantedLeaf } from "./wanted.ts";

/** The one thing to do next: at most one write to each object, so that whoever dies in between leaves a state that goes on. */
export type WebhookCertificateStep =
  /** Make a certificate, into the Secret itself or into that of the one to follow, beside what else is to be trusted. */
  | {
    readonly do: "issue";
    readonly as: "first" | "next";
    readonly wanted: WantedCertificate;
    readonly trust: readonly CertificateFacts[];
    readonly why: string;
  }
  /** Have the API server trust exactly these. */
  | {
    readonly do: "trust";
    readonly roots: readonly CertificateFacts[];
    readonly configurations: readonly FoundConfiguration[];
  }
  /** Put what is to follow in the place of what is shown. */
  | { readonly do: "promote"; readonly trust: readonly CertificateFacts[] }
  /** Remove what was to follow: it has followed, or never will. */
  | { readonly do: "discard"; readonly why: string }
  /** Write down anew what is to be trusted. */
  | { readonly do: "remember"; readonly trust: readonly CertificateFacts[] }
  /** Have the API server refuse what it cannot ask about. */
  | { readonly do: "require"; readonly configurations: readonly FoundConfiguration[] }
  /** Nothing, before `until`; and for something to happen elsewhere, when there are reasons. */
  | { readonly do: "wait"; readonly for: readonly string[]; readonly until: number | undefined };

/** How far a change of the certificate is. */
export type WebhookCertificatePhase =
  /** There is no certificate yet. */
  | "None"
  /** One certificate, trusted alone. */
  | "Stable"
  /** The API server is told to trust the next one. */
  | "Trust"
  /** The next one is shown; the earlier one is trusted until no replica shows it any more. */
  | "Retire";

/** What is to be done about the webhook's certificate. */
export interface WebhookCertificatePlan {
  readonly step: WebhookCertificateStep;
  readonly phase: WebhookCertificatePhase;
  /** The certificate that is shown. */
  readonly certificate: CertificateFacts | undefined;
  /** Why only people can help; `undefined` when all is well. */
  readonly problem: string | undefined;
  /** Whose affair the certificate is instead. */
  readonly leftTo: string | undefined;
}

/** API servers learn of a changed configuration by a watch; one that is later than this is late with everything. In milliseconds. */
export const SETTLE_MS = 5_000;
/** A clock may be ahead of another by so much. In milliseconds. */
const CLOCK_TOLERANCE_MS = 300_000;

/**
 * Plans for the certificate of the webhook. What is shown is always trusted: the next one is trusted before it is shown, and the
 * earlier one until nobody shows it. All that it goes by is in the cluster.
 */
export function planWebhookCertificate(input: WebhookCertificateInput): WebhookCertificatePlan {
  const { secret, next } = input;
  const present = usablePair(secret);
  const leftTo = input.configurations.find(({ keptBy }) => keptBy !== undefined)?.keptBy;
  const problem = leftTo === undefined ? problemOf(secret, "Secret") ?? foreignNext(next) : undefined;
  const stuck = leftTo !== undefined || problem !== undefined;
  return {
    step: stuck ? { do: "wait", for: [], until: undefined } : stepOf(input, present),
    ...{ phase: phaseOf(present, next), certificate: present?.leaf, problem, leftTo },
  };
}

function stepOf(input: WebhookCertificateInput, present: UsablePair | undefined): WebhookCertificateStep {
  const { now, next, configurations, trustedForMs } = input;
  const wanted = wantedLeaf(input.hosts);
  const trust = wantedTrust(input);
  if (!present && !next) {
    const first = trust.length === 0;
    const why = first ? "There is none yet" : "The Secret is gone";
    return { do: "issue", as: first ? "first" : "next", wanted, trust, why };
  }
  const following = usablePair(next);
  if (next && !following) return { do: "discard", why: "It cannot be read" };
  if (following && following.leaf.fingerprint === present?.leaf.fingerprint) {
    return { do: "discard", why: "It is shown now" };
  }
  if (following) {
    const misfit = whyDue(following, { now, wanted });
    if (misfit !== undefined) return { do: "discard", why: misfit };
  }
  const untold = configurations.filter((one) => !isTrustedBy(one, trust));
  if (untold.length > 0) return { do: "trust", roots: trust, configurations: untold };
  if (following) {
    // What is no longer valid serves nobody: nothing is gained by waiting. Of a lost Secret replicas show what they have read.
    const shown = present ? isValid(present.leaf, now) : trust.length > 1;
    if (!shown || trustedForMs >= SETTLE_MS) return { do: "promote", trust };
    return { do: "wait", for: ["API servers to trust the next certificate"], until: undefined };
  }
  return present ? settledStep(input, { present, wanted, trust }) : { do: "wait", for: [], until: undefined };
}

/** What there is to do about a certificate that is in place and trusted. */
function settledStep(
  input: WebhookCertificateInput,
  { present, wanted, trust }: { present: UsablePair; wanted: WantedCertificate; trust: readonly CertificateFacts[] },
): WebhookCertificateStep {
  const { now, secret, configurations, replicas, servedForMs, retireMs } = input;
  if (nameOf(present.trusted) !== nameOf(trust)) return { do: "remember", trust };
  const lax = configurations.filter(({ shallFail, entries }) =>
    shallFail && entries.some(({ ignoresFailures }) => ignoresFailures)
  );
  if (lax.length > 0 && isServedBy(replicas, present.leaf.fingerprint)) return { do: "require", configurations: lax };
  const asked = secret?.metadata.annotations?.[OPERATOR_ANNOTATIONS.rotate];
  const wish = asked === present.leaf.fingerprint ? "Somebody asks for another one" : undefined;
  const why = whyDue(present, { now, wanted }) ?? wish;
  if (why !== undefined) return { do: "issue", as: "next", wanted, trust, why };
  const until = renewalTime(present.leaf, wanted);
  const retires = trust.length > 1;
  if (!retires && lax.length === 0) return { do: "wait", for: [], until };
  const waits = isServedBy(replicas, present.leaf.fingerprint)
    ? [`volumes to be up to date`]
    : laggards(input, present.leaf.fingerprint);
  // A replica that has just begun, and says nothing yet, may show what its kubelet has left in the volume.
  if (retires && servedForMs >= retireMs) return { do: "remember", trust: [present.root] };
  return { do: "wait", for: waits, until };
}

/** Why a certificate is to be changed for another one. */
function whyDue(
  { leaf, root }: UsablePair,
  { now, wanted }: { now: number; wanted: WantedCertificate },
): string | undefined {
  const differences = contentDifferences(leaf, wanted);
  if (differences.length > 0) return `It has not the wanted ${differences.join(", ")}`;
  if (Math.max(leaf.notBefore, root.notBefore) > now + CLOCK_TOLERANCE_MS) return "It is not valid yet";
  if (now > Math.min(renewalTime(leaf, wanted), renewalTime(root, wanted))) return "It ends soon";
  return undefined;
}

function isValid({ notBefore, notAfter }: CertificateFacts, now: number): boolean {
  return notBefore <= now && now < notAfter;
}

/** Whom the earlier certificate is still trusted for. */
function laggards({ replicas }: WebhookCertificateInput, fingerprint: string): readonly string[] {
  if (replicas === undefined) return ["replicas, whose Leases cannot be read"];
  if (replicas.length === 0) return ["a replica that tells which certificate it shows"];
  return replicas.filter(({ certificate }) => certificate !== fingerprint).map(({ name }) => name);
}

function problemOf(found: FoundPair | undefined, what: string): string | undefined {
  if (!found) return undefined;
  const remedy = "delete it to have a new one";
  if (!found.ours) return `The ${what} was not made here and is left alone; ${remedy}`;
  const { reading } = found;
  if (reading.kind === "incomplete") return `The ${what} has no ${reading.missing.join(" and ")}; ${remedy}`;
  if (reading.kind === "unreadable") return `${reading.problem}; ${remedy}`;
  if (!reading.keyMatches) return `tls.key does not belong to the certificate in tls.crt; ${remedy}`;
  return found.root ? undefined : `Nothing in ca.crt has signed the certificate; ${remedy}`;
}

/** What is ours and broken is made anew; what is not is in the way. */
function foreignNext(next: FoundPair | undefined): string | undefined {
  return next && !next.ours ? problemOf(next, "Secret of the next certificate") : undefined;
}

function phaseOf(present: UsablePair | undefined, next: FoundPair | undefined): WebhookCertificatePhase {
  if (next) return "Trust";
  if (!present) return "None";
  return present.trusted.length > 1 ? "Retire" : "Stable";
}
