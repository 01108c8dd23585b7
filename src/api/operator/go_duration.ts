/** Milliseconds of each unit of Go's durations. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  "µs": 1e-3,
  "μs": 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a duration as Go writes it, such as `26280h` or `1h30m`; `undefined` when it is none, or negative. */
export function parseGoDuration(text: string): number | undefined {
  if (text === "0") return 0;
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let sum = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g)) {
    sum += Number(amount) * UNITS[unit!]!;
  }
  return Number.isFinite(sum) ? sum : undefined;
}
