import { expect } from "expect";
import fc from "fast-check";
import { type Ending, nextTry } from "./next_try.ts";

const endings: Ending[] = [
  { why: "ended" },
  { why: "expired" },
  { why: "idle" },
  { why: "checked" },
  { why: "failed", retryAfterMs: undefined },
];

Deno.test("a watch that lasted is taken up at once, from where it was", () => {
  const next = nextTry({ why: "ended" }, { failures: 7, lastedMs: 300_000, random: 0.5 });
  expect(next).toEqual({ waitMs: 100, relist: false, failures: 0 });
});

Deno.test("only an expired version leads to a new list", () => {
  for (const ending of endings) {
    const { relist } = nextTry(ending, { failures: 0, lastedMs: 10_000, random: 0 });
    expect(relist).toBe(ending.why === "expired");
  }
});

Deno.test("failures in a row wait longer and longer, up to ten seconds", () => {
  const waits: number[] = [];
  for (let failures = 0, i = 0; i < 12; i++) {
    const next = nextTry({ why: "failed", retryAfterMs: undefined }, { failures, lastedMs: 3, random: 0 });
    failures = next.failures;
    waits.push(next.waitMs);
  }
  expect(waits.slice(0, 4)).toEqual([200, 400, 800, 1600]);
  expect(waits.at(-1)).toBe(10_000);
});

Deno.test("the API server's wish to be left alone is met", () => {
  const next = nextTry({ why: "failed", retryAfterMs: 45_000 }, { failures: 0, lastedMs: 3, random: 0.9 });
  expect(next.waitMs).toBe(45_000);
});

Deno.test("no order of quick ends makes a hot loop", () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom(...endings), fc.nat({ max: 4999 }), fc.double({ min: 0, max: 0.999, noNaN: true })),
    {
      minLength: 20,
      maxLength: 60,
    },
  );
  fc.assert(fc.property(steps, (taken) => {
    let failures = 0;
    let waited = 0;
    for (const [ending, lastedMs, random] of taken) {
      const next = nextTry(ending, { failures, lastedMs, random });
      failures = next.failures;
      waited += next.waitMs;
      expect(next.waitMs).toBeGreaterThanOrEqual(100);
    }
    expect(waited / taken.length).toBeGreaterThanOrEqual(100);
  }));
});
