import type { Clock } from "./clock.ts";

/** The clock of the machine. Timers keep the process alive, so cancel what is no longer needed. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
