import { expect } from "expect";
import { progressLine } from "./progress.ts";

Deno.test("progressLine() says nothing about a short run", () => {
  let now = 0;
  const written: string[] = [];
  const progress = progressLine((text) => written.push(text), () => now);
  for (now = 0; now < 600; now += 50) progress.show(now, 600);
  progress.end();
  expect(written).toEqual([]);
});

Deno.test("progressLine() counts up on a long run, not too often, and wipes itself out", () => {
  let now = 0;
  const written: string[] = [];
  const progress = progressLine((text) => written.push(text), () => now);
  for (now = 0; now <= 1000; now += 10) progress.show(now, 1000);
  progress.end();
  expect(written[0]).toBe("\r\x1b[KValidating 70 %");
  expect(written.length).toBeLessThan(6);
  expect(written.at(-1)).toBe("\r\x1b[K");
});
