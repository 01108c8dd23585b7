import type { Clock } from "../base/mod.ts";

/** Longest that a signal is given: one that nobody waits for any more is kept until its time. In milliseconds. */
const AT_A_TIME_MS = 60_000;

/**
 * The clock of the machine for what runs in every pod. `setTimeout` is Node's in Deno and loads 3 MB of it, for which an agent has no
 * other use; the time limit of a signal is Deno's own, and keeps the process alive as long as somebody listens to it.
 */
export const agentClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after: (ms, callback) => callAfter(ms, callback),
};

/** Calls back once after `ms` milliseconds, by signals that last `atATimeMs` at most; the returned function cancels. */
export function callAfter(ms: number, callback: () => void, atATimeMs: number = AT_A_TIME_MS): () => void {
  const due = performance.now() + ms;
  let cancel = () => {};
  const listen = () => {
    const left = Math.max(0, due - performance.now());
    const signal = AbortSignal.timeout(Math.ceil(Math.min(left, atATimeMs)));
    const listener = () => left > atATimeMs ? listen() : callback();
    signal.addEventListener("abort", listener, { once: true });
    cancel = () => signal.removeEventListener("abort", listener);
  };
  listen();
  return () => cancel();
}
