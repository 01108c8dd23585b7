/**
 * That a test whose title begins with a number (`C11, C12: …`) means what the number stands for, and that none is missing. Golden cases
 * carry theirs in the name of their folder. The numbers are those of the README, "What is different": weaknesses of the programs that this
 * one takes the place of, which must not come back, and what holds at every moment.
 *
 * | numbers | of what |
 * | --- | --- |
 * | W1 to W37 | weaknesses of the discovery service |
 * | A1 to A10 | … of the operator and of pods: availability |
 * | S1 to S9 | … security |
 * | C1 to C20 | … correctness |
 * | O1 to O10 | … operation |
 * | L1 to L12 | … of the ConfigMap loader |
 * | I1 to I19 | invariants |
 * @module
 */
import { expect } from "expect";

const ROOT = new URL("../", import.meta.url);
const LAST = { W: 37, A: 10, S: 9, C: 20, O: 10, L: 12, I: 19 };
const NUMBERS = Object.entries(LAST).flatMap(([letter, last]) => range(letter, 1, last));

/** A text, or a name of a row in a table of cases, that begins with numbers. */
const TITLE = /["`]((?:[A-Z]\d+(?:–[A-Z]\d+)?(?:, )?)+): /g;
/** A folder or file of a case. */
const CASE = /^(?:[A-Z]\d+_)+/;

/** `I3` to `I5`: three of them. */
function range(letter: string, first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, index) => `${letter}${first + index}`);
}

/** The single numbers of `I1–I3, W26`. */
function numbersOf(label: string): string[] {
  return [...label.matchAll(/([A-Z])(\d+)(?:–\1(\d+))?/g)].flatMap(([, letter, first, last = first]) =>
    range(letter!, Number(first), Number(last))
  );
}

/** Every number that a test begins with, and where. */
async function* numbersIn(folder: URL): AsyncGenerator<{ number: string; where: string }> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const at = new URL(isDirectory ? `${name}/` : name, folder);
    const where = at.pathname.slice(ROOT.pathname.length);
    const labels: string[] = [];
    if (where.includes("/testdata/")) labels.push(...CASE.exec(name) ?? []);
    else if (name.endsWith("_test.ts")) {
      labels.push(...[...(await Deno.readTextFile(at)).matchAll(TITLE)].map(([, label]) => label!));
    }
    yield* labels.flatMap(numbersOf).map((number) => ({ number, where }));
    if (isDirectory) yield* numbersIn(at);
  }
}

const found = new Map<string, string>();
for (const folder of ["src/", "tests/", "scripts/"]) {
  for await (const { number, where } of numbersIn(new URL(folder, ROOT))) found.set(number, where);
}

Deno.test("every weakness and every invariant has a test that begins with its number", () => {
  expect(NUMBERS.filter((number) => !found.has(number))).toEqual([]);
});

Deno.test("no test begins with a number that stands for nothing", () => {
  expect([...found].filter(([number]) => !NUMBERS.includes(number))).toEqual([]);
});

Deno.test("what the README calls different has a test of its number", async () => {
  const readme = await Deno.readTextFile(new URL("README.md", ROOT));
  const told = [...readme.matchAll(/^\| ([A-Z]\d+) +\|/gm)].map(([, number]) => number!);
  expect(told.length).toBeGreaterThan(20);
  expect(told.filter((number) => !found.has(number))).toEqual([]);
});

Deno.test("numbersOf() counts ranges through", () => {
  expect(numbersOf("I1–I3, I12, W26")).toEqual(["I1", "I2", "I3", "I12", "W26"]);
});
