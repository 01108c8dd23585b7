import { expect } from "expect";
import fc from "fast-check";
import { findCulprits } from "./culprits.ts";
import type { Verdict } from "./envoy_process.ts";
import type { Part } from "./parts.ts";

function part(label: string, stage: Part["stage"] = "use"): Part {
  return { stage, into: "listeners", json: {}, path: [label], label };
}

/** Asks somebody who refuses what `refuses` says, and counts the questions. */
async function find(parts: readonly Part[], refuses: (labels: ReadonlySet<string>) => Verdict["kind"]) {
  let questions = 0;
  const culprits = await findCulprits(parts, {
    bootstrapOf: (tried) => JSON.stringify(tried.map(({ label }) => label)),
    ask: (text) => {
      questions++;
      const kind = refuses(new Set(JSON.parse(text)));
      return Promise.resolve(
        kind === "refused" ? { kind, words: "no" } : kind === "crashed" ? { kind, how: "SIGSEGV" } : { kind },
      );
    },
  });
  return { labels: culprits.map((culprit) => culprit.part?.label), questions };
}

Deno.test("findCulprits() finds exactly the parts that are refused, with few questions", async () => {
  await fc.assert(fc.asyncProperty(
    fc.array(fc.record({ supply: fc.boolean(), bad: fc.nat(9).map((n) => n === 0) }), { maxLength: 60 }),
    async (drawn) => {
      const parts = drawn.map(({ supply }, index) => part(String(index), supply ? "supply" : "use"));
      const bad = new Set(drawn.flatMap((d, index) => d.bad ? [String(index)] : []));
      const { labels, questions } = await find(parts, (tried) => bad.isDisjointFrom(tried) ? "accepted" : "refused");
      expect(new Set(labels)).toEqual(bad);
      expect(labels).toHaveLength(bad.size);
      if (bad.size === 0) expect(questions).toBe(1);
      expect(questions).toBeLessThanOrEqual(3 + bad.size * 2 * 7);
    },
  ));
});

Deno.test("findCulprits() blames the whole when each half alone is taken", async () => {
  const parts = ["a", "b", "c", "d"].map((label) => part(label));
  expect((await find(parts, (tried) => tried.has("a") && tried.has("d") ? "refused" : "accepted")).labels).toEqual([
    undefined,
  ]);
});

Deno.test("findCulprits() shows the good supplies to those who may need them", async () => {
  const parts = [part("cluster", "supply"), part("bad", "supply"), part("listener")];
  const refuses = (tried: ReadonlySet<string>) =>
    tried.has("bad") || (tried.has("listener") && !tried.has("cluster")) ? "refused" : "accepted";
  expect((await find(parts, refuses)).labels).toEqual(["bad"]);
});

Deno.test("findCulprits() goes on after a crash and stops after a time-out", async () => {
  const parts = ["a", "b", "c"].map((label) => part(label));
  expect((await find(parts, (tried) => tried.has("b") ? "crashed" : "accepted")).labels).toEqual(["b"]);
  expect(await find(parts, () => "late")).toEqual({ labels: [undefined], questions: 1 });
});

Deno.test("findCulprits() asks a bounded number of questions", async () => {
  const parts = Array.from({ length: 2000 }, (_, index) => part(String(index)));
  expect((await find(parts, () => "refused")).questions).toBeLessThanOrEqual(101);
});
