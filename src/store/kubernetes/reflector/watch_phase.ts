import { ChanceryError, type Clock } from "../../../base/mod.ts";

/** `listing`: not everything is known yet. `current`: connected. `resuming`: all was known once, the connection is being made anew. */
export type WatchPhase = "listing" | "current" | "resuming";

/** State of one watch. */
export interface WatchState {
  readonly kind: string;
  /** Empty for all namespaces. */
  readonly namespace: string;
  readonly state: WatchPhase;
  /** Since when it is in this state, milliseconds since the epoch. */
  readonly since: number;
  /** Why it is not current, when that is known. */
  readonly problem?: string;
}

/** The state of one watch, and those who wait for it to change. */
export class WatchProgress {
  readonly #clock: Clock;
  readonly #waiting = new Set<() => void>();
  readonly #ended = new AbortController();
  #state: WatchState;

  constructor(of: { readonly kind: string; readonly namespace: string }, clock: Clock) {
    this.#clock = clock;
    this.#state = { ...of, state: "listing", since: clock.now() };
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Enters a state; `current` forgets the problem. Returns the problem that is solved by it. */
  enter(state: WatchPhase): string | undefined {
    const { state: before, problem, since, ...of } = this.#state;
    const solved = state === "current" ? problem : undefined;
    const kept = solved === undefined && problem !== undefined ? { problem } : {};
    this.#state = { ...of, state, since: before === state ? since : this.#clock.now(), ...kept };
    this.moved();
    return solved;
  }

  /** Notes why it does not go on; whether that is news. */
  failed(problem: string): boolean {
    const isNew = this.#state.problem !== problem;
    this.#state = { ...this.#state, problem };
    return isNew;
  }

  /** Something that others may wait for has happened. */
  moved(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** There will be no change any more. */
  end(): void {
    this.#ended.abort();
  }

  /** Resolves at the next change; rejects when the signal comes or the watch ends. */
  change(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const ended = this.#ended.signal;
    const onAbort = () => {
      reject(
        signal.aborted ? signal.reason : new ChanceryError("unavailable", "Cannot wait for a watch: it has ended"),
      );
    };
    if (signal.aborted || ended.aborted) onAbort();
    this.#waiting.add(resolve);
    signal.addEventListener("abort", onAbort);
    ended.addEventListener("abort", onAbort);
    return promise.finally(() => {
      this.#waiting.delete(resolve);
      signal.removeEventListener("abort", onAbort);
      ended.removeEventListener("abort", onAbort);
    });
  }
}
