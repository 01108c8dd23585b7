import { expect } from "expect";
import { Random } from "./random.ts";
import { manifestOf, nextWorld } from "./worlds.ts";

Deno.test("a seed gives the same numbers again, and another seed others", () => {
  const numbers = (seed: number) => {
    const random = new Random(seed);
    return Array.from({ length: 20 }, () => random.below(1_000_000));
  };
  expect(numbers(7)).toEqual(numbers(7));
  expect(numbers(7)).not.toEqual(numbers(8));
  expect(new Set(numbers(7)).size).toBeGreaterThan(15);
});

Deno.test("a world repeats about half of the one before, and its manifest says what must come of it", () => {
  const random = new Random(3);
  const first = nextWorld(random, { serial: 1 });
  const second = nextWorld(random, { before: first, serial: 2, bad: "all" });
  const { version, resources } = manifestOf("edge", second);
  expect(version).toMatch(/^[a-z2-7]{10}$/);
  expect(resources.filter(({ bad }) => bad === "all")).toHaveLength(1);
  expect(resources.filter(({ type }) => type === "CDS")).toHaveLength(second.clusters.length);
  expect(manifestOf("edge", first).version).not.toBe(version);
});
