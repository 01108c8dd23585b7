import { expect } from "expect";
import { figuresText, percentile } from "./figures.ts";

Deno.test("percentile() takes the nearest rank", () => {
  const values = Array.from({ length: 200 }, (_, i) => 200 - i);
  expect([percentile(values, 0), percentile(values, 50), percentile(values, 99), percentile(values, 100)])
    .toEqual([1, 100, 198, 200]);
  expect(() => percentile([], 50)).toThrow("Cannot take a percentile of nothing");
});

Deno.test("figuresText() aligns values and keeps notes", () => {
  const text = figuresText([
    { text: "start", value: 3.456, unit: "s" },
    { text: "requests", value: 2000, unit: "", note: "2.0 each" },
  ]);
  expect(text).toBe("start        3.46 s\nrequests       2000  2.0 each");
});
