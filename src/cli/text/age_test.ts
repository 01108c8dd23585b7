import { expect } from "expect";
import { age } from "./age.ts";

Deno.test("age() shows the two largest units that matter, as kubectl does", () => {
  const now = Date.parse("2026-01-31T12:00:00Z");
  const s = 1, m = 60, h = 3600, d = 86_400;
  const cases: readonly (readonly [number, string])[] = [
    [0, "0s"],
    [119 * s, "119s"],
    [2 * m, "2m"],
    [9 * m + 59, "9m59s"],
    [10 * m + 30, "10m"],
    [179 * m, "179m"],
    [3 * h, "3h"],
    [7 * h + 59 * m, "7h59m"],
    [8 * h + 5 * m, "8h"],
    [47 * h, "47h"],
    [2 * d, "2d"],
    [7 * d + 23 * h, "7d23h"],
    [8 * d + 5 * h, "8d"],
    [729 * d, "729d"],
    [730 * d, "2y"],
    [800 * d, "2y70d"],
    [-5, "0s"], // clocks differ
  ];
  for (const [seconds, text] of cases) {
    expect([seconds, age(new Date(now - seconds * 1000).toISOString(), new Date(now).toISOString())]).toEqual([
      seconds,
      text,
    ]);
  }
  expect(age(undefined, new Date(now).toISOString())).toBe("-");
  expect(age("rubbish", new Date(now).toISOString())).toBe("-");
});
