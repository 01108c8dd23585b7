import type { Clock } from "../../base/mod.ts";

/** Resolves after `ms` milliseconds; rejects with its reason when one of the signals comes first. */
export function pause(
  ms: number,
  { clock, signals }: { readonly clock: Clock; readonly signals: readonly AbortSignal[] },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => reject(signals.find(({ aborted }) => aborted)?.reason);
  for (const signal of signals) signal.addEventListener("abort", onAbort);
  const cancel = clock.after(ms, resolve);
  if (signals.some(({ aborted }) => aborted)) onAbort();
  return promise.finally(() => {
    cancel();
    for (const signal of signals) signal.removeEventListener("abort", onAbort);
  });
}
