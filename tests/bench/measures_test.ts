import { expect } from "expect";
import { median, rowsOf } from "./measures.ts";
import { scenarios } from "./scenarios.ts";
import { tableOf } from "./table.ts";

const delta = scenarios(true).find(({ name }) => name === "push-delta-200")!;
const refused = scenarios(true).find(({ name }) => name === "refused-sotw")!;

Deno.test("median() takes the middle, or between the two in the middle", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow("median of nothing");
});

Deno.test("rowsOf() compares medians: more is better for times, less for costs", () => {
  const rows = rowsOf(delta, [
    { pushAllTime: 2, pushAllCpu: 1 },
    { pushAllTime: 9, pushAllCpu: 1 },
    { pushAllTime: 1, pushAllCpu: 1 },
  ], [{ pushAllTime: 0.25, pushAllCpu: 0.15 }]);
  expect(rows).toEqual([
    {
      scenario: delta.name,
      measure: "pushAllTime",
      text: "all changed, time",
      goControlPlane: 2,
      chancery: 0.25,
      ratio: 8,
      target: 10,
      met: false,
      missedBy: 1.25,
    },
    {
      scenario: delta.name,
      measure: "pushAllCpu",
      text: "all changed, CPU",
      goControlPlane: 1,
      chancery: 0.15,
      ratio: 0.15,
      target: 0.2,
      met: true,
    },
  ]);
});

Deno.test("rowsOf() leaves out what only one side measured, and never divides by nothing", () => {
  expect(rowsOf(delta, [{ pushOneTime: 1 }], [{ pushOneCpu: 1 }])).toEqual([]);
  const [row] = rowsOf(delta, [{ pushOneCpu: 0 }], [{ pushOneCpu: 0.1 }]);
  expect(row?.ratio).toBeUndefined();
  expect(row?.met).toBeUndefined();
});

Deno.test("rowsOf() judges resent answers by our own number alone", () => {
  expect(rowsOf(refused, [{ resent: 5000 }], [{ resent: 0 }])[0]?.met).toBe(true);
  expect(rowsOf(refused, [{ resent: 0 }], [{ resent: 3 }])[0]?.missedBy).toBe(3);
});

Deno.test("tableOf() shows ratios beside their targets, and absolute values only when asked", () => {
  const rows = rowsOf(delta, [{ initialTime: 1, pushAllTime: 2, pushAllPeak: 300e6 }], [{
    initialTime: 2,
    pushAllTime: 0.25,
    pushAllPeak: 100e6,
  }]);
  const titles = new Map([[delta.name, "the title"]]);
  expect(tableOf(rows, titles, { absolute: false }).split("\n").map((line) => line.trimEnd())).toEqual([
    "                            ratio        target",
    "",
    "the title",
    "  first sync, time          2.0× slower",
    "  all changed, time         8.0× faster  ≥ 10×   missed by a factor of 1.3",
    "  all changed, peak memory  0.33 of its  ≤ 0.67  met",
  ]);
  expect(tableOf(rows, titles, { absolute: true })).toContain("100 MB    300 MB");
});

Deno.test("scenarios() have distinct names and their full form uses the sizes of the targets", () => {
  const full = scenarios(false);
  expect(new Set(full.map(({ name }) => name)).size).toBe(full.length);
  expect(full.map(({ streams }) => streams)).toContain(1000);
  expect(full.every(({ streams, each, count }) => streams <= 1000 && each <= count)).toBe(true);
});
