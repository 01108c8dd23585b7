import { backoffDelay, type BackoffOptions, type Clock, isRetryable } from "../../base/mod.ts";

/** What a piece of work may ask for. */
export interface WorkResult {
  /** Come back after this many milliseconds, unless something else brings the key earlier. */
  readonly requeueAfterMs?: number;
}

/** Options of {@linkcode WorkQueue}. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Brings the state of one key about; called with what changed unknown, it has to look. */
  readonly work: (key: string, signal: AbortSignal) => Promise<WorkResult | void>;
  /** Ends the queue: nothing new starts, waiting keys are dropped, timers are cancelled. */
  readonly signal: AbortSignal;
  /** How many keys may be worked on at once; 1 when absent. */
  readonly concurrency?: number;
  /** Delays after failures; 5 ms doubling to one minute, with half of it jitter, when absent. */
  readonly backoff?: BackoffOptions;
  /** A number in [0, 1) for the jitter. */
  readonly random: () => number;
  /** Told of each failure; `retryInMs` is absent when trying again cannot help. */
  readonly onError?: (key: string, failure: { error: unknown; retryInMs?: number }) => void;
}

const BACKOFF: BackoffOptions = { baseMs: 5, maxMs: 60_000, jitter: 0.5 };

/**
 * Keys to be worked on. A key waits at most once and is never worked on twice at a time; one that is added meanwhile runs once
 * more afterwards, so the last state is always looked at. Failures come back with growing delay, each key for itself.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>(); // in order of arrival
  readonly #active = new Set<string>();
  readonly #again = new Set<string>();
  readonly #timers = new Map<string, { cancel: () => void; at: number }>();
  readonly #failures = new Map<string, number>();
  #idle: (() => void)[] = [];
  #pumping = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    options.signal.addEventListener("abort", () => this.#stop(), { once: true });
  }

  /** Number of keys that wait, are worked on, or wait for their time. */
  get size(): number {
    return this.#waiting.size + this.#active.size + this.#timers.size;
  }

  /** Number of keys whose last try failed. */
  get failing(): number {
    return this.#failures.size;
  }

  /** Asks for a key to be worked on soon. */
  add(key: string): void {
    if (this.#options.signal.aborted) return;
    this.#cancelTimer(key);
    if (this.#active.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => { // a burst of events in one turn is one piece of work
      this.#pumping = false;
      this.#pump();
    });
  }

  /** Asks for a key to be worked on after `ms` milliseconds; of two times the earlier counts. */
  addAfter(key: string, ms: number): void {
    if (this.#options.signal.aborted || this.#waiting.has(key)) return;
    const { clock } = this.#options;
    const at = clock.monotonic() + ms;
    const known = this.#timers.get(key);
    if (known && known.at <= at) return;
    known?.cancel();
    const cancel = clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, { cancel, at });
  }

  /** Resolves when nothing waits and nothing is worked on; what waits for its time does not count. */
  idle(): Promise<void> {
    if (this.#waiting.size + this.#active.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  #pump(): void {
    const { signal, concurrency = 1 } = this.#options;
    for (const key of this.#waiting) {
      if (signal.aborted || this.#active.size >= concurrency) break;
      this.#waiting.delete(key);
      this.#active.add(key);
      void this.#run(key);
    }
    if (this.#waiting.size + this.#active.size > 0) return;
    const waiters = this.#idle;
    this.#idle = [];
    for (const resolve of waiters) resolve();
  }

  async #run(key: string): Promise<void> {
    const { work, signal } = this.#options;
    try {
      const result = await work(key, signal);
      this.#failures.delete(key);
      if (result?.requeueAfterMs !== undefined) this.addAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (!signal.aborted) this.#failed(key, error);
    }
    this.#active.delete(key);
    if (this.#again.delete(key)) this.add(key);
    this.#pump();
  }

  #failed(key: string, error: unknown): void {
    const { backoff = BACKOFF, random, onError } = this.#options;
    if (!isRetryable(error)) {
      this.#failures.delete(key);
      onError?.(key, { error });
      return;
    }
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const retryInMs = backoffDelay(failures, backoff, random());
    onError?.(key, { error, retryInMs });
    this.addAfter(key, retryInMs);
  }

  #cancelTimer(key: string): void {
    this.#timers.get(key)?.cancel();
    this.#timers.delete(key);
  }

  #stop(): void {
    for (const { cancel } of this.#timers.values()) cancel();
    this.#timers.clear();
    this.#waiting.clear();
    this.#again.clear();
    this.#failures.clear();
    this.#pump();
  }
}
