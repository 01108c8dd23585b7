import { expect } from "expect";
import fc from "fast-check";
import { ByteBudget } from "./byte_budget.ts";

Deno.test("ByteBudget lets in what fits, in the order of asking", () => {
  const budget = new ByteBudget(10);
  const log: string[] = [];
  const a = budget.acquire(6, () => log.push("a"));
  const b = budget.acquire(6, () => log.push("b"));
  budget.acquire(1, () => log.push("c"));
  expect(log).toEqual(["a"]);
  a();
  expect(log).toEqual(["a", "b", "c"]);
  b();
  b();
  expect(budget.used).toBe(1);
});

Deno.test("ByteBudget forgets whoever leaves the queue", () => {
  const budget = new ByteBudget(10);
  const log: string[] = [];
  budget.acquire(8, () => log.push("a"));
  const big = budget.acquire(9, () => log.push("big"));
  budget.acquire(2, () => log.push("small"));
  big();
  expect(log).toEqual(["a", "small"]);
});

Deno.test("ByteBudget serves everyone and never more at once than it has, except one that is larger alone", () => {
  fc.assert(fc.property(fc.array(fc.integer({ min: 1, max: 30 })), fc.infiniteStream(fc.nat()), (sizes, picks) => {
    const budget = new ByteBudget(20);
    const out = new Map<number, () => void>();
    const releases: (() => void)[] = [];
    let served = 0;
    for (const [index, size] of sizes.entries()) {
      releases[index] = budget.acquire(size, () => {
        served++;
        out.set(index, () => releases[index]?.());
        expect(budget.used <= 20 || budget.used === size).toBe(true);
      });
    }
    while (out.size > 0) {
      const pick = picks.next().value % out.size;
      const index = [...out.keys()][pick] ?? 0;
      const release = out.get(index);
      out.delete(index);
      release?.();
    }
    expect([served, budget.used]).toEqual([sizes.length, 0]);
  }));
});
