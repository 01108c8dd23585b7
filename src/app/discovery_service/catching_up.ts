import { type Clock, errorMessage, wait } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { Hub } from "../../xds/mod.ts";

/** Options of {@linkcode CatchingUp}. */
export interface CatchingUpOptions {
  readonly hub: Pick<Hub, "pause" | "resume">;
  /** Resolves when what the API server knew at the call is known here. */
  readonly caughtUp: (signal: AbortSignal) => Promise<void>;
  /** Resolves when what is known has been worked on. */
  readonly idle: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long until the next try when catching up failed, in milliseconds. */
const AGAIN_MS = 1_000;

/** Keeps the hub silent after the process stood still, until it knows what happened meanwhile (design rule 9). */
export class CatchingUp implements Disposable {
  readonly #options: CatchingUpOptions;
  readonly #ending = new AbortController();
  #current: AbortController | undefined;
  #since: number | undefined;

  constructor(options: CatchingUpOptions) {
    this.#options = options;
  }

  /** Why nothing is said at the moment, and since when (milliseconds since the epoch); `undefined` when it is. */
  get pausedSince(): number | undefined {
    return this.#since;
  }

  /** The process stood still just now. */
  woke(stoodStillMs: number): void {
    if (this.#ending.signal.aborted) return;
    const { hub, log, clock } = this.#options;
    log.warn("The process stood still; nothing is answered until all changes meanwhile are known", {
      seconds: Math.round(stoodStillMs / 100) / 10,
    });
    hub.pause();
    this.#since ??= clock.now();
    this.#current?.abort(); // what was caught up before it stood still once more says nothing
    const current = this.#current = new AbortController();
    void this.#catchUp(AbortSignal.any([current.signal, this.#ending.signal]));
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  async #catchUp(signal: AbortSignal): Promise<void> {
    const { hub, caughtUp, idle, clock, log } = this.#options;
    while (!signal.aborted) {
      try {
        await caughtUp(signal);
        await idle();
        if (signal.aborted) return;
        const ms = clock.now() - (this.#since ?? clock.now());
        this.#since = undefined;
        hub.resume();
        log.info("All changes are known again; Envoys are answered", { seconds: Math.round(ms / 100) / 10 });
        return;
      } catch (thrown) {
        if (signal.aborted) return;
        log.warn("Cannot catch up with the API server yet", { error: errorMessage(thrown) });
        await wait(AGAIN_MS, { clock, signals: [signal] });
      }
    }
  }
}
