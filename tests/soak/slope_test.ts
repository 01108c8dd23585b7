import { expect } from "expect";
import { growth, lineThrough, type Sample } from "./slope.ts";

function samples(of: (at: number) => number): Sample[] {
  return Array.from({ length: 60 }, (_, i) => ({ at: i * 10, value: of(i * 10) }));
}

/** Between -1 and 1, always the same. */
function noise(at: number): number {
  return Math.sin(at * 12.9898) * 43758.5453 % 1;
}

Deno.test("lineThrough() finds the slope, and how sure it is", () => {
  expect(lineThrough(samples((at) => 5 + 0.5 * at)).slope).toBeCloseTo(0.5, 9);
  const { slope, error } = lineThrough(samples((at) => 100 + 0.01 * at + noise(at)));
  expect(Math.abs(slope - 0.01)).toBeLessThan(3 * error);
  expect(() => lineThrough([])).toThrow("Cannot draw a line through 0 samples");
});

Deno.test("growth() finds a leak under noise, and no leak in noise alone", () => {
  const bound = { share: 0.05, least: 1 };
  expect(growth(samples((at) => 300 + 20 * noise(at)), bound).tooMuch).toBe(false);
  expect(growth(samples((at) => 300 + 0.1 * at + 20 * noise(at)), bound).tooMuch).toBe(true); // 60 more in ten minutes
  expect(growth(samples((at) => at < 300 ? 400 : 300), bound).tooMuch).toBe(false); // it fell
  expect(growth(samples((at) => 300 + 0.01 * at), bound)).toMatchObject({
    tooMuch: false,
    allowed: expect.any(Number),
  });
});
