import { backoffDelay } from "../../base/mod.ts";

const HOUR_MS = 3_600_000;
/** So many publications in an hour may be rollbacks, with nothing published on request in between. */
const FREE_ROLLBACKS = 3;

/** Clocks of replicas may differ by so much. */
const SKEW_MS = 60_000;

/** The rollbacks of the last hour. One in the future was noted by a clock that is wrong, or was: nothing follows from it. */
function recentRollbacks(rollbacks: readonly string[], now: number): readonly string[] {
  return rollbacks.filter((time) => Date.parse(time) > now - HOUR_MS && Date.parse(time) <= now + SKEW_MS);
}

/**
 * Until when the next rollback has to wait; `undefined` when it need not. When revision after revision is refused the cause is
 * likely not in any of them, and going through all of them in a second would leave nothing to serve.
 */
export function heldUntil(rollbacks: readonly string[], now: number): number | undefined {
  const recent = recentRollbacks(rollbacks, now);
  if (recent.length < FREE_ROLLBACKS) return undefined;
  const last = Math.max(...recent.map((time) => Date.parse(time)));
  const until = last + backoffDelay(recent.length - FREE_ROLLBACKS + 1, { baseMs: 60_000, maxMs: 600_000 });
  return until > now ? until : undefined;
}
