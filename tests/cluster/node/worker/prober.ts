import { delay } from "../machine/delay.ts";
import type { Container, Probe } from "../pod/pod.ts";
import { addAnswer, probePace, type Tally, verdict } from "../pod/probe_pace.ts";
import { type HandlerTarget, runHandler } from "./handler.ts";

/** What probes found out. */
export interface ProbeSink {
  /** Called when an answer can be believed that differs from what was believed before. */
  probed(probe: "startup" | "readiness", passed: boolean): void;
  /** The container has to be ended, within `graceMs` if the probe has a word of its own. */
  unhealthy(graceMs: number | undefined, message: string): void;
}

/** Options of {@linkcode probeContainer}. */
export interface ProberOptions {
  readonly target: HandlerTarget;
  readonly maxPeriodMs: number;
  readonly sink: ProbeSink;
  /** Ends the asking, when the container has ended. */
  readonly signal: AbortSignal;
}

/** Asks a running container's probes until the signal: first the startup probe, then the others. */
export async function probeContainer(container: Container, options: ProberOptions): Promise<void> {
  const { startupProbe, readinessProbe, livenessProbe } = container;
  const { sink } = options;
  if (startupProbe) {
    const passed = await ask(startupProbe, options, "startup", () => true);
    if (passed !== true) return;
    sink.probed("startup", true);
  }
  await Promise.all([
    readinessProbe && ask(readinessProbe, options, "readiness", (passed) => {
      sink.probed("readiness", passed);
      return false;
    }),
    livenessProbe && ask(livenessProbe, options, "liveness", () => false),
  ]);
}

/**
 * Asks until the signal or until `settled` says that the verdict is enough. A failure of the startup or liveness probe is always
 * enough, and told.
 */
async function ask(
  probe: Probe,
  { target, maxPeriodMs, sink, signal }: ProberOptions,
  kind: "startup" | "readiness" | "liveness",
  settled: (passed: boolean) => boolean,
): Promise<boolean | undefined> {
  const pace = probePace(probe, kind === "liveness" ? Infinity : maxPeriodMs);
  let tally: Tally | undefined;
  let believed: boolean | undefined;
  await delay(pace.delayMs, signal);
  while (!signal.aborted) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(pace.timeoutMs)]);
    const problem = await runHandler(probe, target, limit);
    if (signal.aborted) return undefined;
    tally = addAnswer(tally, problem === undefined);
    const found = verdict(tally, pace);
    if (found === false && kind !== "readiness") {
      const grace = probe.terminationGracePeriodSeconds;
      sink.unhealthy(grace === undefined ? undefined : grace * 1000, `${kind} probe failed: ${problem}`);
      return false;
    }
    if (found !== undefined && found !== believed) {
      believed = found;
      if (settled(found)) return found;
    }
    await delay(pace.periodMs, signal);
  }
  return undefined;
}
