import type { Clock } from "./clock.ts";

/** Options of {@linkcode wait}. */
export interface WaitOptions {
  readonly clock: Clock;
  /** Each of them ends the wait. */
  readonly signals: readonly (AbortSignal | undefined)[];
}

/** Waits `ms` milliseconds, or less when a signal comes. False when one came first. */
export async function wait(ms: number, { clock, signals }: WaitOptions): Promise<boolean> {
  if (signals.some((signal) => signal?.aborted)) return false;
  if (ms <= 0) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = () => resolve(false);
  for (const signal of signals) signal?.addEventListener("abort", end);
  const cancel = clock.after(ms, () => resolve(true));
  try {
    return await promise;
  } finally {
    cancel();
    for (const signal of signals) signal?.removeEventListener("abort", end);
  }
}
