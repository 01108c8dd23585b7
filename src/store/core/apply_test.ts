import { expect } from "expect";
import fc from "fast-check";
import type { StoredObject } from "../store.ts";
import { applyStated, replaceStatus, type Stamp } from "./apply.ts";
import { readStated } from "./stated.ts";

let version = 0;
const STAMP: Stamp = { nowMs: 0, newUid: () => "uid", nextResourceVersion: () => String(++version) };

function apply(existing: StoredObject | undefined, spec: unknown, fieldManager: string, force = true): StoredObject {
  const stated = readStated(
    { apiVersion: "x/v1", kind: "X", metadata: { name: "a", namespace: "b" }, spec },
    undefined,
  );
  return applyStated(existing, stated, { fieldManager, force, stamp: STAMP });
}

const word = fc.constantFrom("a", "b", "c", "__proto__", "f:a", ".");
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(1, 2, "x", null, true, [], {}),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(word, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const spec = fc.dictionary(word, json, { maxKeys: 3 });

Deno.test("apply by a single manager leaves exactly what it stated last", () => {
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 6 }), (specs) => {
      let object: StoredObject | undefined;
      for (const stated of specs) {
        object = apply(object, stated, "one", false);
        expect(sorted(object["spec"] ?? {})).toBe(sorted(stated));
        expect(apply(object, stated, "one", false)).toBe(object);
      }
    }),
    { numRuns: 2000 },
  );
});

Deno.test("apply by managers of different fields leaves the union, whoever comes first", () => {
  const step = fc.record({ manager: fc.constantFrom("one", "two"), value: spec });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let object: StoredObject | undefined;
      const last: Record<string, unknown> = {};
      for (const { manager, value } of steps) {
        object = apply(object, { [manager]: value }, manager, false);
        last[manager] = value;
        expect(sorted(object["spec"])).toBe(sorted(last));
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("apply by force always ends with what was stated last in it, and never loses a field that somebody states", () => {
  const step = fc.record({
    manager: fc.constantFrom("one", "two"),
    value: fc.dictionary(word, fc.integer({ max: 3, min: 0 }), { maxKeys: 3 }),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
      let object: StoredObject | undefined;
      for (const { manager, value } of steps) {
        object = apply(object, value, manager);
        const now = (object["spec"] ?? {}) as Record<string, unknown>; // the record that was stated
        for (const [key, stated] of Object.entries(value)) expect(now[key]).toBe(stated);
        const owned = new Set(
          object.metadata.managedFields?.flatMap((entry) => Object.keys(entry.fieldsV1["f:spec"] ?? {})),
        );
        for (const key of Object.keys(now)) expect(owned).toContain(`f:${key}`);
      }
    }),
    { numRuns: 1000 },
  );
});

Deno.test("replaceStatus() leaves exactly the status given, whoever set it before", () => {
  fc.assert(
    fc.property(fc.array(spec, { minLength: 1, maxLength: 5 }), (all) => {
      let object = apply(undefined, { size: 1 }, "one");
      for (const [i, status] of all.entries()) {
        object = replaceStatus(object, status, { fieldManager: i % 2 ? "a" : "b", stamp: STAMP });
        expect(sorted(object["status"])).toBe(sorted(status));
        expect(object.metadata.generation).toBe(1);
        expect(apply(object, { size: 1 }, "one")).toBe(object);
      }
    }),
    { numRuns: 500 },
  );
});

function sorted(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, member) =>
      typeof member === "object" && member !== null && !Array.isArray(member)
        ? Object.keys(member).sort().map((key) => [key, member[key]])
        : member,
  );
}
