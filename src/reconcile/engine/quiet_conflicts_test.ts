import { expect } from "expect";
import { ChanceryError } from "../../base/mod.ts";
import { QuietConflicts } from "./quiet_conflicts.ts";

const CONFLICT = new ChanceryError("conflict", "Cannot write: it was changed meanwhile");

Deno.test("QuietConflicts waits longer with each conflict in a row, and speaks up after ten", () => {
  const conflicts = new QuietConflicts(() => 1);
  const waits = Array.from({ length: 11 }, () => conflicts.again("a", CONFLICT)?.requeueAfterMs);
  expect(waits[10]).toBeUndefined();
  const told = waits.slice(0, 10) as number[]; // the others are numbers
  expect(told).toEqual([...told].sort((a, b) => a - b));
  expect(told[0]).toBeLessThan(20);
  expect(Math.max(...told)).toBeLessThanOrEqual(1500);
  expect(conflicts.again("b", CONFLICT)?.requeueAfterMs).toBe(told[0]);
});

Deno.test("QuietConflicts begins anew once the work was done, and leaves other errors to others", () => {
  const conflicts = new QuietConflicts(() => 0);
  for (let i = 0; i < 11; i++) conflicts.again("a", CONFLICT);
  conflicts.over("a");
  expect(conflicts.again("a", CONFLICT)).toBeDefined();
  expect(conflicts.again("a", new ChanceryError("unavailable", "Cannot write: nobody answers"))).toBeUndefined();
  expect(conflicts.again("a", new ChanceryError("conflict", "Cannot write: never", { retryable: false })))
    .toBeUndefined();
});
