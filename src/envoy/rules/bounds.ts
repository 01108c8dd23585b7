import type { Plain } from "../schema/mod.ts";
import type { Integer } from "../wire/integer.ts";
import { all, type Check } from "./check_type.ts";

const WORDS = { lt: "less than", lte: "at most", gt: "greater than", gte: "at least" } as const;
type Bound = keyof typeof WORDS;

/** Compares as `<` and `>` do: NaN with everything gives NaN, which breaks no rule, as in Envoy. */
type Compare = (a: unknown, b: unknown) => number;

/** Rules of numbers, durations and timestamps: equal to, one of, between. `show` writes a bound for people. */
export function boundChecks(kind: string, body: Plain, show?: (value: unknown) => string): Check[] {
  const time = kind === "duration" || kind === "timestamp";
  const order = { kind, compare: time ? compareTimes : compareNumbers, show: show ?? (time ? showSeconds : String) };
  const checks = [...equalChecks(body, order), ...rangeChecks(body, order)];
  if (body["ignore_empty"] !== true) return checks;
  const checked = all(checks, (value) => value === 0);
  return checked ? [checked] : [];
}

interface Order {
  readonly kind: string;
  readonly compare: Compare;
  readonly show: (value: unknown) => string;
}

function equalChecks(body: Plain, { kind, compare, show }: Order): Check[] {
  const checks: Check[] = [];
  const wanted = body["const"];
  if (wanted !== undefined) {
    checks.push((context, spot) => {
      if (compare(spot.value, wanted) !== 0) context.error(spot, `must be ${show(wanted)}`, { rule: `${kind}.const` });
    });
  }
  const allowed = body["in"] as readonly unknown[] | undefined ?? []; // repeated in all rules that have it
  if (allowed.length > 0) {
    checks.push((context, spot) => {
      if (allowed.some((a) => compare(spot.value, a) === 0)) return;
      context.error(spot, `must be one of ${allowed.map(show).join(", ")}`, { rule: `${kind}.in` });
    });
  }
  const refused = body["not_in"] as readonly unknown[] | undefined ?? []; // as above
  if (refused.length > 0) {
    checks.push((context, spot) => {
      if (!refused.some((r) => compare(spot.value, r) === 0)) return;
      context.error(spot, `must not be ${show(spot.value)}`, { rule: `${kind}.not_in` });
    });
  }
  return checks;
}

function rangeChecks(body: Plain, order: Order): Check[] {
  const upper = (["lt", "lte"] as const).find((bound) => body[bound] !== undefined);
  const lower = (["gt", "gte"] as const).find((bound) => body[bound] !== undefined);
  const tooHigh = upper && breaks(upper, body[upper], order);
  const tooLow = lower && breaks(lower, body[lower], order);
  const { compare, show, kind } = order;
  if (upper && lower && tooHigh && tooLow && !(compare(body[upper], body[lower]) > 0)) {
    // An upper bound that is not above the lower one names what is excluded between them.
    const message = `must be ${WORDS[upper]} ${show(body[upper])} or ${WORDS[lower]} ${show(body[lower])}`;
    return [(context, spot) => {
      if (tooHigh(spot.value) && tooLow(spot.value)) context.error(spot, message, { rule: `${kind}.${upper}` });
    }];
  }
  const check = (bound: Bound | undefined, broken: ((value: unknown) => boolean) | undefined): Check[] =>
    bound === undefined || !broken ? [] : [(context, spot) => {
      if (!broken(spot.value)) return;
      const message = `must be ${WORDS[bound]} ${show(body[bound])}`;
      context.error(spot, message, { rule: `${kind}.${bound}`, show: true });
    }];
  return [...check(upper, tooHigh), ...check(lower, tooLow)];
}

function breaks(bound: Bound, limit: unknown, { compare }: Order): (value: unknown) => boolean {
  switch (bound) {
    case "lt":
      return (value) => compare(value, limit) >= 0;
    case "lte":
      return (value) => compare(value, limit) > 0;
    case "gt":
      return (value) => compare(value, limit) <= 0;
    case "gte":
      return (value) => compare(value, limit) < 0;
  }
}

function compareNumbers(a: unknown, b: unknown): number {
  const [x, y] = [a as Integer, b as Integer]; // numbers and bigints compare with each other exactly
  if (x < y) return -1;
  return x > y ? 1 : x >= y ? 0 : NaN;
}

/** Duration and Timestamp have the same fields: seconds, and nanoseconds of the same sign. */
function compareTimes(a: unknown, b: unknown): number {
  return compareNumbers(secondsOf(a), secondsOf(b)) || compareNumbers(nanosOf(a), nanosOf(b));
}

function secondsOf(time: unknown): unknown {
  return (time as Plain)["seconds"] ?? 0; // Duration or Timestamp
}

function nanosOf(time: unknown): unknown {
  return (time as Plain)["nanos"] ?? 0; // Duration or Timestamp
}

function showSeconds(time: unknown): string {
  const nanos = Number(nanosOf(time));
  const fraction = nanos === 0 ? "" : `.${String(Math.abs(nanos)).padStart(9, "0").replace(/0+$/, "")}`;
  const sign = nanos < 0 && Number(secondsOf(time)) === 0 ? "-" : "";
  return `${sign}${secondsOf(time)}${fraction}s`;
}
