import type { Clock } from "../../base/mod.ts";

/** Options of {@linkcode StandStill}. */
export interface StandStillOptions {
  readonly clock: Clock;
  /** Told when the process stood still, before anything else is done. */
  readonly onWake: (stoodStillMs: number) => void;
  /** How often the clock is looked at; default 500 ms. */
  readonly everyMs?: number;
  /** A longer time without a look means that the process stood still; default 2,000 ms. */
  readonly limitMs?: number;
}

/**
 * Notices that the process stood still: it was stopped, its machine slept or was moved, it got no processor. It then knows
 * nothing of what happened meanwhile, although all its connections may still look alive. Whoever is about to say something
 * looks first, because after waking the timer is not the first to run.
 */
export class StandStill implements Disposable {
  readonly #options: StandStillOptions;
  #last: { readonly monotonic: number; readonly wall: number };
  #cancel: () => void;

  constructor(options: StandStillOptions) {
    this.#options = options;
    this.#last = this.#read();
    this.#cancel = this.#again();
  }

  /** Looks at the clock now. */
  look(): void {
    const { limitMs = 2_000, onWake } = this.#options;
    const before = this.#last;
    const now = this.#last = this.#read();
    // A machine that sleeps may stop the monotonic clock, too; that the other one was set forward does no harm here.
    const gap = Math.max(now.monotonic - before.monotonic, now.wall - before.wall);
    if (gap > limitMs) onWake(gap);
  }

  [Symbol.dispose](): void {
    this.#cancel();
  }

  #again(): () => void {
    const { clock, everyMs = 500 } = this.#options;
    return clock.after(everyMs, () => {
      this.look();
      this.#cancel = this.#again();
    });
  }

  #read(): { monotonic: number; wall: number } {
    const { clock } = this.#options;
    return { monotonic: clock.monotonic(), wall: clock.now() };
  }
}
