import { expect } from "expect";
import { condition, mergeConditions, sameStatus } from "./conditions.ts";
import type { Condition } from "./metadata.ts";

const NOW = Date.parse("2026-01-02T03:04:05.678Z");
const OLD = "2020-01-01T00:00:00Z";

function stored(type: string, status: Condition["status"]): Condition {
  return { type, status, reason: "Old", message: "old", lastTransitionTime: OLD };
}

Deno.test("condition() takes listed pairs of type and reason only", () => {
  const told = { status: "True", message: "m" } as const;
  expect(condition("Conflict", { ...told, reason: "NodeIdInUse" }).type).toBe("Conflict");
  // @ts-expect-error: the reason belongs to another type
  condition("Conflict", { ...told, reason: "AllResolved" });
});

Deno.test("W24: condition() cuts a long message", () => {
  const { message } = condition("Valid", { status: "False", reason: "InvalidResources", message: "x".repeat(50_000) });
  expect(message.length).toBe(2000);
});

Deno.test("mergeConditions() changes the time only where the status changed", () => {
  const wanted = [
    condition("Valid", { status: "True", reason: "SpecIsValid", message: "new", observedGeneration: 3 }),
    condition("Conflict", { status: "True", reason: "NodeIdInUse", message: "new" }),
    condition("ResourcesResolved", { status: "True", reason: "AllResolved", message: "new" }),
  ];
  const before = [
    stored("Theirs", "True"),
    stored("Valid", "True"),
    stored("Conflict", "False"),
    stored("RollbackFailed", "True"),
  ];
  const merged = mergeConditions(before, wanted, { now: NOW, removed: ["RollbackFailed"] });
  expect(merged.map(({ type, status, message, lastTransitionTime }) => [type, status, message, lastTransitionTime]))
    .toEqual([
      ["Theirs", "True", "old", OLD],
      ["Valid", "True", "new", OLD],
      ["Conflict", "True", "new", "2026-01-02T03:04:05Z"],
      ["ResourcesResolved", "True", "new", "2026-01-02T03:04:05Z"],
    ]);
});

Deno.test("W33: sameStatus() sees no difference in order of fields, and in what an API server drops", () => {
  expect(sameStatus(undefined, { conditions: [], revisions: undefined })).toBe(true);
  expect(sameStatus({ a: 1, b: { c: [] } }, { b: {}, a: 1 })).toBe(true);
  expect(sameStatus({ a: [1, 2] }, { a: [2, 1] })).toBe(false);
});

Deno.test("mergeConditions() completes what older programs stored without words, and leaves the rest as it is", () => {
  const whole = { type: "Mine", status: "True", reason: "R", message: "", lastTransitionTime: "2024-01-01T00:00:00Z" };
  const stored = [whole, { type: "Old", status: "True" }, { ...whole, type: "Odd", status: "Maybe", reason: "" }];
  const merged = mergeConditions(stored as Condition[], [], { now: Date.UTC(2026, 0, 1) });
  expect(merged).toEqual([
    whole,
    { type: "Old", status: "True", reason: "Unknown", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
    { ...whole, type: "Odd", status: "Unknown", reason: "Unknown" },
  ]);
});
