import type { CacheState, EnvoyConfigStatus } from "../../api/mod.ts";
import { formatFinding } from "../../base/mod.ts";
import { type Built, parsePublication, type Publication, publicationId } from "../../snapshot/mod.ts";
import type { Builds } from "./builds.ts";
import type { Candidate } from "./candidates.ts";
import { heldUntil } from "./flapping.ts";
import { taintOf } from "./revision.ts";
import type { Steering } from "./steering.ts";
import { type Judgement, tallyText } from "./verdict.ts";

/** Why a version must not be served. */
export interface Taint {
  readonly reason: "ResourcesFailing" | "FailedLoadingResources";
  readonly message: string;
}

/** What {@linkcode decide} goes by. */
export interface DecideInput {
  /** By rank, the desired one last. */
  readonly ranked: readonly Candidate[];
  readonly desired: string | undefined;
  readonly status: EnvoyConfigStatus;
  readonly steering: Steering;
  /** On what is published now. */
  readonly judgement: Judgement | undefined;
  /** Whether all Envoys accept what is published now, for good. */
  readonly accepted: boolean;
  /** Whether any Envoy has refused anything of what is published now, for whatever reason. */
  readonly refused: boolean;
  readonly now: number;
}

/** Which version is published, and why. */
export interface Decision {
  /** Absent when nothing can be served. */
  readonly chosen?: { readonly candidate: Candidate; readonly built: Built; readonly publication: Publication };
  readonly cacheState: CacheState;
  /** By version; what is not in it is not tainted. */
  readonly taints: ReadonlyMap<string, Taint>;
  /** The publication is another one than before. */
  readonly changed: boolean;
  /** It was changed because the one before was refused, and nobody asked for it. */
  readonly rolledBack: boolean;
  /** The next rollback waits until then; milliseconds since the epoch. */
  readonly heldUntil?: number;
  /** What became of the pin. */
  readonly pinned?: "VersionPinned" | "VersionNotFound" | "VersionTainted";
  readonly pinnedVersion?: string;
}

/** What is published now, as the EnvoyConfig tells: the one place that says it (W26). */
export function currentPublication({ publication }: EnvoyConfigStatus): Publication | undefined {
  return publication ? parsePublication(publication) : undefined;
}

/**
 * The taints as they are after what people and Envoys said; those of content that cannot be loaded are found by building. What
 * is served because nothing better is left, and is accepted in the end, is tainted no more: the cause was elsewhere.
 */
export function taintsOf(input: DecideInput): Map<string, Taint> {
  const { ranked, desired, status, steering, judgement, accepted } = input;
  const taints = new Map<string, Taint>();
  for (const { version, object, twin } of ranked) {
    const taint = (object && taintOf(object)) ?? (twin && taintOf(twin));
    if (!taint || isCleared(version, { desired, steering })) continue;
    const reason = taint.reason === "FailedLoadingResources" ? taint.reason : "ResourcesFailing";
    taints.set(version, { reason, message: taint.message });
  }
  const current = currentPublication(status)?.version;
  if (accepted && current !== undefined) taints.delete(current);
  if (judgement?.kind !== "tainted" || current === undefined || isCleared(current, { desired, steering })) {
    return taints;
  }
  if (!taints.has(current)) taints.set(current, { reason: "ResourcesFailing", message: tallyText(judgement.tally) });
  return taints;
}

/** A retry clears the taint of the desired version, a new pin that of its version. */
function isCleared(version: string, { desired, steering }: Pick<DecideInput, "desired" | "steering">): boolean {
  return (steering.retry && version === desired) || (steering.pin?.fresh === true && version === steering.pin.version);
}

/**
 * Under what a version would be published. What comes after a refusal gets a name and wire versions of its own: reports on
 * the one before do not count for it, and clients that misreport what they hold get it in full.
 */
export function publicationOf(version: string, input: DecideInput, taints: ReadonlyMap<string, Taint>): Publication {
  const { status, steering, refused, ranked, desired } = input;
  const current = currentPublication(status);
  const rollbackCount = Math.max(status.rollbackCount ?? 0, current?.rollbackCount ?? 0);
  if (!current) return { version, rollbackCount };
  const cleared = ranked.some((candidate) =>
    isCleared(candidate.version, { desired, steering }) && candidate.object && taintOf(candidate.object)
  );
  const again = cleared || (steering.retry && refused);
  if (version === current.version && !again) return current;
  const after = again || refused || taints.has(current.version);
  return { version, rollbackCount: rollbackCount + (after ? 1 : 0) };
}

/**
 * Chooses what to publish: what is pinned; else of all that is neither tainted nor unreadable that with the highest rank; else
 * what all Envoys accepted last, and if nothing ever was, what is wanted. Never nothing as long as there is something (W29).
 */
export function decide(input: DecideInput, taints: Map<string, Taint>, builds: Builds): Decision {
  const { status, steering, now } = input;
  const current = currentPublication(status);
  const pinned = steering.pin && pinState(steering.pin.version, input, { taints, builds });
  const { candidate, cacheState } = pinned === "VersionPinned"
    ? { candidate: find(input, steering.pin?.version), cacheState: "Rollback" as const }
    : bestOf(input, { taints, builds });
  const told = { taints, ...(pinned && steering.pin ? { pinned, pinnedVersion: steering.pin.version } : {}) };
  if (!candidate) return { ...told, cacheState, changed: false, rolledBack: false };
  const state = candidate.version === input.desired && cacheState === "Rollback" ? "InSync" : cacheState;
  const publication = publicationOf(candidate.version, input, taints);
  const changed = current === undefined || publicationId(current) !== publicationId(publication);
  const asked = status.desiredVersion !== input.desired || steering.retry || steering.pin?.fresh ||
    (status.pin !== undefined && !status.pin.ended && !steering.pin);
  const rolledBack = changed && current !== undefined && taints.has(current.version) && !asked;
  const held = rolledBack ? heldUntil(status.rollbacks ?? [], now) : undefined;
  const stay = held === undefined ? undefined : find(input, current?.version);
  const kept = stay && builds.of(stay);
  if (held !== undefined && current && stay && kept?.snapshot) {
    const chosen = { candidate: stay, built: kept, publication: current };
    return { ...told, chosen, cacheState: "Rollback", changed: false, rolledBack: false, heldUntil: held };
  }
  const built = builds.of(candidate)!; // what was chosen was built
  return { ...told, chosen: { candidate, built, publication }, cacheState: state, changed, rolledBack };
}

interface Means {
  readonly taints: Map<string, Taint>;
  readonly builds: Builds;
}

function pinState(version: string, input: DecideInput, means: Means): NonNullable<Decision["pinned"]> {
  const candidate = find(input, version);
  if (!candidate?.spec) return "VersionNotFound";
  return servable(candidate, means) ? "VersionPinned" : "VersionTainted";
}

function bestOf(input: DecideInput, means: Means): { candidate: Candidate | undefined; cacheState: CacheState } {
  const candidate = input.ranked.findLast((one) => servable(one, means));
  if (candidate) return { candidate, cacheState: candidate.version === input.desired ? "InSync" : "Rollback" };
  const last = [input.status.acknowledgedVersion, input.desired, currentPublication(input.status)?.version]
    .map((version) => find(input, version))
    .find((one) => one && means.builds.of(one)?.snapshot);
  return { candidate: last, cacheState: "RollbackFailed" };
}

/** Whether a version may be served. What cannot be loaded is tainted by that, and no longer when it can (W17). */
function servable(candidate: Candidate, { taints, builds }: Means): boolean {
  const { version } = candidate;
  if (taints.get(version)?.reason === "ResourcesFailing") return false;
  const built = builds.of(candidate);
  if (built?.snapshot) return taints.delete(version) || true;
  const errors = built?.findings.filter(({ severity }) => severity === "error").slice(0, 3) ?? [];
  const message = errors.length === 0
    ? "the revision cannot be read"
    : errors.map((finding) => formatFinding(finding)).join("; ");
  taints.set(version, { reason: "FailedLoadingResources", message });
  return false;
}

function find({ ranked }: DecideInput, version: string | undefined): Candidate | undefined {
  return ranked.find((candidate) => candidate.version === version);
}
