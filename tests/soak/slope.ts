/** A value at a time. */
export interface Sample {
  /** Seconds since the beginning. */
  readonly at: number;
  readonly value: number;
}

/** A straight line through samples. */
export interface Line {
  /** Per second. */
  readonly slope: number;
  /** Standard error of the slope: noise alone takes it so far from the truth in two of three cases. */
  readonly error: number;
  readonly mean: number;
}

/** The line with the least squares. */
export function lineThrough(samples: readonly Sample[]): Line {
  const n = samples.length;
  if (n < 3) throw new Error(`Cannot draw a line through ${n} samples`);
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / n;
  const [t, v] = [mean(({ at }) => at), mean(({ value }) => value)];
  const spread = samples.reduce((sum, { at }) => sum + (at - t) ** 2, 0);
  if (spread === 0) throw new Error("Cannot draw a line through samples of one moment");
  const slope = samples.reduce((sum, { at, value }) => sum + (at - t) * (value - v), 0) / spread;
  const left = samples.reduce((sum, { at, value }) => sum + (value - v - slope * (at - t)) ** 2, 0);
  return { slope, error: Math.sqrt(left / (n - 2) / spread), mean: v };
}

/** How much a value may grow. */
export interface Bound {
  /** Share of its mean. */
  readonly share: number;
  /** Or so much, whichever is more. */
  readonly least: number;
}

/** How much a value would grow in an hour, and whether that is certain and too much. */
export function growth(
  samples: readonly Sample[],
  { share, least }: Bound,
): { readonly perHour: number; readonly tooMuch: boolean; readonly mean: number; readonly allowed: number } {
  const { slope, error, mean } = lineThrough(samples);
  const seconds = samples.at(-1)!.at - samples[0]!.at; // there are three at least
  const allowed = Math.max(share * mean, least);
  // Over the run, not over the hour: what is to be found is found in the time that is looked at.
  const certain = (slope - 2 * error) * seconds;
  return { perHour: slope * 3600, tooMuch: certain > allowed, mean, allowed };
}
