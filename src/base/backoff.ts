/** Options of {@linkcode backoffDelay}. */
export interface BackoffOptions {
  /** Delay after the first failure, in milliseconds. */
  readonly baseMs: number;
  /** The longest delay, in milliseconds. */
  readonly maxMs: number;
  /** Share of the delay that may be taken off at random, 0 to 1; 0 when absent. */
  readonly jitter?: number;
}

/**
 * The delay before the next try after `failures` (1 or more) failures in a row: doubling, capped, and shortened by up to
 * `jitter` of itself. `random` is a number in [0, 1) given by the caller.
 */
export function backoffDelay(failures: number, options: BackoffOptions, random = 0): number {
  const full = Math.min(options.maxMs, options.baseMs * 2 ** Math.min(Math.max(failures, 1) - 1, 52));
  return full * (1 - (options.jitter ?? 0) * random);
}
