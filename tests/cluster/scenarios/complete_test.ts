/**
 * That every scenario of users, every time line and every weakness of the discovery half has a test that begins with its number. Here:
 *
 * | scenario | where |
 * | --- | --- |
 * | S1 S2 S5 S6 S7 S8 | `routes_test.ts` |
 * | S3 S4 S11 S17 | `secrets_test.ts` |
 * | S9 | `endpoints_test.ts`, on pods of a real Deployment |
 * | S10 S12 S13 S16 S18 | `forms_test.ts`; of S18 the configurations, the pods that carry them are the operator's |
 * | S14 | `rate_limit_test.ts` |
 * | S15 | historic: the second generation of Envoy's API is gone, and what is left of it is refused (S14) |
 * | T1 to T6 | `time_lines_test.ts` |
 * @module
 */
import { expect } from "expect";

const ROOT = new URL("../../../", import.meta.url);
const HISTORIC = ["S15"];

/** A call that registers a test, or a table of cases, up to its title. */
const TITLE = /(?:\w*[tT]est|eachLink|step)\(\s*(["`])(.*?)\1/gs;

/** `S1` to `S<last>`, or others. */
function numbers(letter: string, last: number): string[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}`).filter((one) => !HISTORIC.includes(one));
}

/** What stands in front of a colon: at the beginning, and after a semicolon. */
function labelsOf(title: string): string[] {
  return title.split("; ").flatMap((part) => /^((?:[A-Z]\d+[, ]*)+)/.exec(part)?.[1]?.match(/[A-Z]\d+/g) ?? []);
}

async function* labelsIn(folder: URL): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) {
      if (folder.pathname.endsWith("/testdata/")) yield* /^[A-Z]\d+(?=_)/.exec(name) ?? [];
      yield* labelsIn(new URL(`${name}/`, folder));
    } else if (name.endsWith("_test.ts")) {
      const text = await Deno.readTextFile(new URL(name, folder));
      for (const [, , title] of text.matchAll(TITLE)) yield* labelsOf(title!);
    }
  }
}

Deno.test("every scenario, time line and weakness has a test that is named after it", async () => {
  const found = new Set<string>();
  for (const folder of ["src/", "tests/"]) for await (const label of labelsIn(new URL(folder, ROOT))) found.add(label);
  const wanted = [...numbers("S", 18), ...numbers("T", 6), ...numbers("W", 37)];
  expect(wanted.filter((label) => !found.has(label))).toEqual([]);
});

Deno.test("labelsOf() takes the numbers that a title or a part of it begins with", () => {
  expect(labelsOf("S6: a listener of S9; S7: repaired")).toEqual(["S6", "S7"]);
  expect(labelsOf("W7 W27: both")).toEqual(["W7", "W27"]);
  expect(labelsOf("T2 bad update: refused; and so on")).toEqual(["T2"]);
  expect(labelsOf("a test of W9")).toEqual([]);
});
