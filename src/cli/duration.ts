const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `60s`, `500ms`, `1h30m` or `0`; `undefined` for any other text. */
export function parseDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, number, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) total += Number(number) * UNITS[unit!]!;
  return Math.round(total);
}
