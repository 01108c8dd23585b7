import type { Lease } from "./lease.ts";
import { isHeld, type Sighting } from "./sighting.ts";

/** One candidate: a replica, and this life of it. */
export interface Candidate {
  readonly name: string;
  readonly bootId: string;
}

/** What a candidate does about the leader's Lease. */
export type ElectionStep = "create" | "renew" | "take" | "wait";

/** What a candidate knows when it decides. */
export interface ElectionView {
  readonly lease: Lease | undefined;
  /** Of that Lease. */
  readonly sighting: Sighting | undefined;
  readonly self: Candidate;
  /** Milliseconds of the monotonic clock. */
  readonly now: number;
  /** Whether this process has not looked before. */
  readonly first: boolean;
}

/**
 * Decides on one look. A Lease of another is taken only once it was not renewed for as long as its holder promised. The one
 * exception is the first look of a process that finds itself in it, under an earlier boot id: that life is over. (Were it not,
 * because two processes run under one name, nothing is lost: each write is fenced by what it was planned on.)
 */
export function electionStep({ lease, sighting, self, now, first }: ElectionView): ElectionStep {
  if (!lease) return "create";
  if (lease.holder === identityOf(self)) return "renew";
  if (first && nameOf(lease.holder) === self.name) return "take";
  return sighting && isHeld(lease, sighting, now) ? "wait" : "take";
}

/** How a candidate stands in the Lease. */
export function identityOf({ name, bootId }: Candidate): string {
  return `${name}_${bootId}`;
}

/** The replica behind an identity. */
export function nameOf(identity: string): string {
  const end = identity.lastIndexOf("_"); // boot ids have none
  return end < 0 ? identity : identity.slice(0, end);
}

/** How long a lease lasts, and what that means for who has it. Milliseconds. */
export interface LeaseTimes {
  /** How long others wait for a renewal before they take the Lease. */
  readonly durationMs: number;
  /** How long the leader goes on leading without a renewal: less, so that it has stopped when another begins. */
  readonly renewDeadlineMs: number;
  /** How often a candidate looks. */
  readonly retryMs: number;
}

/** Longest that one request about a Lease may take, and least that any write is given, in milliseconds. */
const LONGEST_REQUEST_MS = 5_000;
const LEAST_WRITE_MS = 1_000;

/** How long one request about a Lease may take, in milliseconds: there is time for another one before the leader gives up. */
export function leaseRequestTimeoutOf({ renewDeadlineMs }: LeaseTimes): number {
  return Math.min(LONGEST_REQUEST_MS, renewDeadlineMs / 2);
}

/** How long a leader's write may take, in milliseconds: none is on its way any more when another leads. */
export function writeTimeoutOf({ durationMs, renewDeadlineMs }: LeaseTimes): number {
  return Math.max(LEAST_WRITE_MS, durationMs - renewDeadlineMs);
}

/** What is wrong with times that were asked for; `undefined` when nothing is. */
export function leaseTimesProblem({ durationMs, renewDeadlineMs, retryMs }: LeaseTimes): string | undefined {
  if (durationMs < 1_000 || durationMs % 1_000 !== 0) return "the duration must be whole seconds, at least one";
  if (renewDeadlineMs >= durationMs) return "the renew deadline must be shorter than the duration";
  if (retryMs < 50) return "the retry period must be at least 50ms";
  if (retryMs * 1.2 >= renewDeadlineMs) return "the renew deadline must be longer than 1.2 retry periods";
  return undefined;
}
