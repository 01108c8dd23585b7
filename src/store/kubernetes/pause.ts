import { wait, type WaitOptions } from "../../base/mod.ts";

/** Resolves after `ms` milliseconds; rejects with its reason when one of the signals comes first. */
export async function pause(ms: number, options: WaitOptions): Promise<void> {
  if (!await wait(ms, options)) throw options.signals.find((signal) => signal?.aborted)?.reason;
}
