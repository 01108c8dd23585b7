import type { Scenario } from "./scenarios.ts";

/** Everything that is measured of one server in one scenario. Seconds, bytes, counts. */
export type Measures = { [name in MeasureName]?: number };

/**
 * faster: a time; the ratio is go-control-plane's divided by chancery's, more is better.
 * share: a cost; the ratio is chancery's divided by go-control-plane's, less is better.
 * count: chancery's number itself, less is better.
 */
export type Reading = "faster" | "share" | "count";

export type Target = { readonly [protocol in Scenario["protocol"]]: number };

export interface MeasureRule {
  readonly text: string;
  readonly reading: Reading;
  /** In the unit of the reading: at least for `faster`, at most otherwise. */
  readonly target?: Target;
  readonly unit: "s" | "B" | "";
}

const CPU: Target = { sotw: 1 / 5, delta: 1 / 5 };
const PEAK: Target = { sotw: 2 / 3, delta: 2 / 3 };
const PUSH: Target = { sotw: 4, delta: 10 };
const NONE: Target = { sotw: 0, delta: 0 };

/** In the order of the table. */
export const MEASURES = {
  initialTime: { text: "first sync, time", reading: "faster", unit: "s" },
  initialCpu: { text: "first sync, CPU", reading: "share", unit: "s" },
  initialPeak: { text: "first sync, peak memory", reading: "share", unit: "B" },
  statePerStream: { text: "state per idle stream", reading: "share", unit: "B" },
  pushAllTime: { text: "all changed, time", reading: "faster", target: PUSH, unit: "s" },
  pushAllCpu: { text: "all changed, CPU", reading: "share", target: CPU, unit: "s" },
  pushAllPeak: { text: "all changed, peak memory", reading: "share", target: PEAK, unit: "B" },
  pushAllQuiet: { text: "all changed, memory after", reading: "share", unit: "B" },
  pushOneTime: { text: "one changed, time", reading: "faster", target: PUSH, unit: "s" },
  pushOneCpu: { text: "one changed, CPU", reading: "share", target: CPU, unit: "s" },
  pushOnePeak: { text: "one changed, peak memory", reading: "share", target: PEAK, unit: "B" },
  pushOneResources: { text: "one changed, resources sent", reading: "share", unit: "" },
  reconnectTime: { text: "all reconnect, time", reading: "faster", unit: "s" },
  reconnectCpu: { text: "all reconnect, CPU", reading: "share", unit: "s" },
  reconnectPeak: { text: "all reconnect, peak memory", reading: "share", target: PEAK, unit: "B" },
  churnLag: { text: "endpoint churn, last change", reading: "faster", unit: "s" },
  churnCpu: { text: "endpoint churn, CPU", reading: "share", target: CPU, unit: "s" },
  churnPeak: { text: "endpoint churn, peak memory", reading: "share", target: PEAK, unit: "B" },
  churnResponses: { text: "endpoint churn, answers", reading: "share", unit: "" },
  resent: { text: "answers resent after a NACK", reading: "count", target: NONE, unit: "" },
} as const satisfies Record<string, MeasureRule>;

export type MeasureName = keyof typeof MEASURES;

const MEASURE_NAMES = Object.keys(MEASURES) as MeasureName[]; // the keys of a constant

function ruleOf(name: MeasureName): MeasureRule {
  return MEASURES[name];
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) throw new Error("Cannot take the median of nothing");
  const lower = sorted.length % 2 === 1 ? upper : sorted[middle - 1] ?? upper;
  return (lower + upper) / 2;
}

/** One line of the result. */
export interface Row {
  readonly scenario: string;
  readonly measure: MeasureName;
  readonly text: string;
  readonly goControlPlane: number;
  readonly chancery: number;
  /** As the reading says; `undefined` where go-control-plane's value (or ours) is too small to divide by. */
  readonly ratio?: number;
  readonly target?: number;
  readonly met?: boolean;
  /** How far off: the factor still missing; for counts the number itself. */
  readonly missedBy?: number;
}

/** Compares medians over the rounds, measure by measure; a measure that only one side has is left out. */
export function rowsOf(scenario: Scenario, goRounds: readonly Measures[], ourRounds: readonly Measures[]): Row[] {
  return MEASURE_NAMES.flatMap((measure) => {
    const theirs = goRounds.map((round) => round[measure]).filter((value) => value !== undefined);
    const ours = ourRounds.map((round) => round[measure]).filter((value) => value !== undefined);
    return theirs.length === 0 || ours.length === 0 ? [] : [rowOf(scenario, measure, median(theirs), median(ours))];
  });
}

function rowOf(scenario: Scenario, measure: MeasureName, goControlPlane: number, chancery: number): Row {
  const { text, reading, target: targets } = ruleOf(measure);
  const row = { scenario: scenario.name, measure, text, goControlPlane, chancery };
  const ratio = reading === "count"
    ? chancery
    : reading === "faster"
    ? divide(goControlPlane, chancery)
    : divide(chancery, goControlPlane);
  if (ratio === undefined) return row;
  const target = targets?.[scenario.protocol];
  if (target === undefined) return { ...row, ratio };
  const met = reading === "faster" ? ratio >= target : ratio <= target;
  if (met) return { ...row, ratio, target, met };
  const missedBy = reading === "count" ? ratio - target : reading === "faster" ? target / ratio : ratio / target;
  return { ...row, ratio, target, met, missedBy };
}

function divide(a: number, b: number): number | undefined {
  return b > 0 ? a / b : undefined;
}
