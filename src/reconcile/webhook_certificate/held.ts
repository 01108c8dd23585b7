/**
 * How long something has been so, as it was seen at each look, by a clock that never jumps. What was so before this process began does
 * not count: it is waited for anew.
 */
export class Held {
  #what: string | undefined;
  #since = 0;

  /** Takes note of a look at `now`: `what` is so, or nothing. Returns for how long, in milliseconds. */
  see(what: string | undefined, now: number): number {
    if (what === undefined || what !== this.#what) this.#since = now;
    this.#what = what;
    return what === undefined ? 0 : now - this.#since;
  }
}
