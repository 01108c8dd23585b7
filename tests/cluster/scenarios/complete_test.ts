/**
 * That every scenario of users and every time line of the discovery half has a test that names it. Here:
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

const HERE = new URL("./", import.meta.url);
const HISTORIC = ["S15"];

/** `S1` to `S<last>`, or others. */
function numbers(letter: string, last: number): string[] {
  return Array.from({ length: last }, (_, index) => `${letter}${index + 1}`).filter((one) => !HISTORIC.includes(one));
}

/** `Scenario S3: …; scenario S4: …`, `… (scenario S11)`, `T2 bad update: …; T3 repair: …`. */
function labelsOf(text: string): string[] {
  return [...text.matchAll(/(?:["(]|; )(?:[Ss]cenario (S\d+)|(T\d+) )/g)].map(([, scenario, line]) =>
    (scenario ?? line)!
  );
}

Deno.test("every scenario and every time line has a test that names it", async () => {
  const found = new Set<string>();
  for await (const { name } of Deno.readDir(HERE)) {
    if (!name.endsWith("_test.ts") || import.meta.url.endsWith(name)) continue;
    for (const label of labelsOf(await Deno.readTextFile(new URL(name, HERE)))) found.add(label);
  }
  const wanted = [...numbers("S", 18), ...numbers("T", 6)];
  expect(wanted.filter((label) => !found.has(label))).toEqual([]);
});

Deno.test("labelsOf() takes what a title or a part of it begins with, or ends with in brackets", () => {
  expect(labelsOf('"Scenario S6: a listener of S9; scenario S7: repaired"')).toEqual(["S6", "S7"]);
  expect(labelsOf('"W19: missing (scenario S17)"')).toEqual(["S17"]);
  expect(labelsOf('"T2 bad update: refused; T3 repair: and so on"')).toEqual(["T2", "T3"]);
  expect(labelsOf('"a test of S9"')).toEqual([]);
});
