import { backoffDelay, isRetryable } from "../../base/mod.ts";
import type { WorkResult } from "./work_queue.ts";
import { isConflict } from "./writing.ts";

/** So many conflicts in a row are the usual course with others who write; of more somebody should know. */
const MOST = 10;
const PAUSE = { baseMs: 10, maxMs: 1000, jitter: 0.5 };

/**
 * Has work that met a conflict done again soon, without a word: what was written meanwhile is on its way to us, and brings the work
 * back by itself where it matters.
 */
export class QuietConflicts {
  readonly #random: () => number;
  readonly #inARow = new Map<string, number>();

  /** `random` gives a number in [0, 1), for the jitter of pauses. */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** When to try again; `undefined` when the error is something else, or when there were too many. */
  again(id: string, error: unknown): WorkResult | undefined {
    if (!isConflict(error) || !isRetryable(error)) return undefined;
    const conflicts = (this.#inARow.get(id) ?? 0) + 1;
    this.#inARow.set(id, conflicts);
    if (conflicts > MOST) return undefined;
    return { requeueAfterMs: backoffDelay(conflicts, PAUSE, this.#random()) };
  }

  /** The work was done, or there is none any more. */
  over(id: string): void {
    this.#inARow.delete(id);
  }
}
