import { backoffDelay } from "../../../base/mod.ts";

/** Why a list or watch is over. */
export type Ending =
  /** The API server ended it, as it does after the time it was given. */
  | { readonly why: "ended" }
  /** The version to go on from is no longer known, or not known yet: all must be listed. */
  | { readonly why: "expired" }
  /** The API server does not stream lists. */
  | { readonly why: "no-streaming" }
  /** Nothing came for longer than there may be silence. */
  | { readonly why: "idle" }
  /** We ended it to find out whether something is missing. */
  | { readonly why: "checked" }
  | { readonly why: "failed"; readonly retryAfterMs: number | undefined };

/** What to do after a list or watch is over. */
export interface NextTry {
  readonly waitMs: number;
  /** List all again instead of going on from the last version. */
  readonly relist: boolean;
  /** Ends in a row that count as failures, this one included. */
  readonly failures: number;
}

/** A watch that lasted so long was a good one, in milliseconds. */
const GOOD_MS = 5000;
const BACKOFF = { baseMs: 200, maxMs: 10_000, jitter: 0.5 };

/**
 * Decides when to go on and from where. Any end that comes early counts as a failure, whatever its reason, so that no
 * answer of an API server can make a hot loop.
 */
export function nextTry(
  ending: Ending,
  { failures, lastedMs, random }: { readonly failures: number; readonly lastedMs: number; readonly random: number },
): NextTry {
  const relist = ending.why === "expired";
  if (ending.why === "no-streaming") return { waitMs: 0, relist, failures };
  if (ending.why === "checked") return { waitMs: backoffDelay(1, BACKOFF, random), relist, failures };
  const broke = ending.why === "failed" || ending.why === "idle";
  if (lastedMs >= GOOD_MS && !broke) return { waitMs: BACKOFF.baseMs * random, relist, failures: 0 };
  const count = lastedMs >= GOOD_MS ? 1 : failures + 1;
  const delay = backoffDelay(count, BACKOFF, random);
  const asked = ending.why === "failed" ? ending.retryAfterMs ?? 0 : 0;
  return { waitMs: Math.max(delay, asked), relist, failures: count };
}
