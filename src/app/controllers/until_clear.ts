import { type Clock, wait } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";

/** Between two looks at what is in the way. */
const LOOK_MS = 5_000;

/** Waits until nothing is in the way any more, or for the signal. `show` is given what is, for those who ask why nothing happens. */
export async function untilClear(
  obstacle: () => Promise<string | undefined>,
  { clock, log, signal, show }: {
    readonly clock: Clock;
    readonly log: Logger;
    readonly signal: AbortSignal;
    readonly show: (problem: string) => void;
  },
): Promise<void> {
  let told: string | undefined;
  for (;;) {
    const problem = await obstacle();
    if (problem === undefined) return;
    show(problem);
    if (problem !== told) log.warn("Cannot begin yet", { problem });
    told = problem;
    if (!await wait(LOOK_MS, { clock, signals: [signal] })) return;
  }
}
