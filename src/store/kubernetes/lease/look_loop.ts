import type { Clock } from "../../../base/mod.ts";

/** Options of {@linkcode LookLoop}. */
export interface LookLoopOptions {
  readonly clock: Clock;
  /** One look. Must not throw. */
  readonly look: () => Promise<void>;
  /** Told after each look, the last one included. */
  readonly looked: () => void;
  /** How long to wait until the next look, in milliseconds. */
  readonly waitMs: () => number;
}

/** Looks at something again and again, never twice at a time; who asks during a look gets another one right after it. */
export class LookLoop {
  readonly #options: LookLoopOptions;
  #ended = false;
  #looking: Promise<void> | undefined;
  #again = false;
  #cancel: (() => void) | undefined;

  constructor(options: LookLoopOptions) {
    this.#options = options;
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Looks now; resolves after that look. */
  look(): Promise<void> {
    if (this.#ended) return Promise.resolve();
    this.#cancel?.();
    if (this.#looking) this.#again = true; // what it reads may be from before
    return this.#looking ??= this.#options.look().finally(() => {
      this.#looking = undefined;
      this.#options.looked();
      if (this.#ended) return;
      const wait = this.#again ? 0 : this.#options.waitMs();
      this.#again = false;
      this.#cancel = this.#options.clock.after(wait, () => void this.look());
    });
  }

  /** Ends; resolves when no look is under way any more. */
  async stop(): Promise<void> {
    this.#ended = true;
    this.#cancel?.();
    await this.#looking;
  }
}
