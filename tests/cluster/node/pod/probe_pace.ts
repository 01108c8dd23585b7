import type { Probe } from "./pod.ts";

/** How often something is asked, and what it takes to believe the answers. */
export interface ProbePace {
  readonly delayMs: number;
  readonly periodMs: number;
  readonly timeoutMs: number;
  readonly successes: number;
  readonly failures: number;
}

/**
 * The pace of a probe. Periods longer than `maxPeriodMs` are cut to it and the count of failures grows by as much, so that a good
 * answer is heard sooner and a bad one is believed no sooner.
 */
export function probePace(probe: Probe, maxPeriodMs: number): ProbePace {
  const wanted = (probe.periodSeconds ?? 10) * 1000;
  const periodMs = Math.min(wanted, maxPeriodMs);
  return {
    delayMs: (probe.initialDelaySeconds ?? 0) * 1000,
    periodMs,
    timeoutMs: (probe.timeoutSeconds ?? 1) * 1000,
    successes: probe.successThreshold ?? 1,
    failures: Math.ceil((probe.failureThreshold ?? 3) * wanted / periodMs),
  };
}

/** Answers of one kind in a row. */
export interface Tally {
  readonly passed: boolean;
  readonly count: number;
}

/** The tally after one more answer. */
export function addAnswer(tally: Tally | undefined, passed: boolean): Tally {
  return { passed, count: tally?.passed === passed ? tally.count + 1 : 1 };
}

/** What the answers so far prove, if anything. */
export function verdict({ passed, count }: Tally, pace: ProbePace): boolean | undefined {
  return count >= (passed ? pace.successes : pace.failures) ? passed : undefined;
}
