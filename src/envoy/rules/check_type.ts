import type { ReadContext, Spot } from "../read/context.ts";

/** Looks at one converted value and notes what breaks a rule. */
export type Check = (context: ReadContext, spot: Spot) => void;

/** All checks in turn, unless `exempt` lets the value off; undefined when there are none. */
export function all(checks: readonly Check[], exempt?: (value: unknown) => boolean): Check | undefined {
  const [only, second] = checks;
  if (!only) return undefined;
  if (!second && !exempt) return only;
  return (context, spot) => {
    if (exempt?.(spot.value)) return;
    for (const check of checks) check(context, spot);
  };
}
