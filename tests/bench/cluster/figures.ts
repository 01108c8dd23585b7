/** A measured thing and what it came to. */
export interface Figure {
  readonly text: string;
  readonly value: number;
  readonly unit: "s" | "ms" | "MB" | "";
  /** What the value is to be read with. */
  readonly note?: string;
}

/** The p-th percentile (0 to 100), by nearest rank. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil(sorted.length * p / 100) - 1)];
  if (found === undefined) throw new Error("Cannot take a percentile of nothing");
  return found;
}

/** A line for each figure. */
export function figuresText(figures: readonly Figure[]): string {
  const width = Math.max(...figures.map(({ text }) => text.length));
  return figures.map(({ text, value, unit, note }) =>
    `${text.padEnd(width)}  ${`${shown(value)} ${unit}`.trimEnd().padStart(9)}${note === undefined ? "" : `  ${note}`}`
  ).join("\n");
}

function shown(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2);
}
