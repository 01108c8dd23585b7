import { expect } from "expect";
import { Likeness } from "./likeness.ts";

interface Case {
  readonly name: string;
  readonly shown: readonly string[];
  readonly output: string;
  /** Part of what is different; undefined: nothing. */
  readonly want?: string;
}

const CASES: readonly Case[] = [
  { name: "the same", shown: ["a", "b"], output: "a\nb\n" },
  { name: "white space", shown: ["NAME  AGE"], output: "NAME      AGE   \n" },
  { name: "times", shown: ["a  13s  2026-01-31T13:00:00Z"], output: "a 1m5s 2027-02-01T01:02:03.5Z\n" },
  { name: "pods", shown: ["ds-645b44ddf6-7lcz5 1/1"], output: "ds-9cd85bff5-m28lq 1/1\n" },
  { name: "restarts", shown: ["Running  0  6s"], output: "Running   1 (84s ago)   117s\n" },
  { name: "another number", shown: ["1/1 pods"], output: "0/1 pods\n", want: 'no line like "1/1 pods"' },
  { name: "another line", shown: ["a", "b"], output: "a\nc\n", want: 'no line like "b"' },
  { name: "a line too few", shown: ["a", "b"], output: "a\n", want: 'no line like "b"' },
  { name: "a line too many", shown: ["a"], output: "a\nb\n", want: "more lines than shown" },
  { name: "nothing", shown: [], output: "" },
  { name: "something where nothing is shown", shown: [], output: "a\n", want: "more lines than shown" },
  { name: "left out within a line", shown: ["a … d"], output: "a b c d\n" },
  { name: "left out lines", shown: ["a", "…", "d"], output: "a\nb\nc\nd\n" },
  { name: "left out lines, and no end", shown: ["a", "…", "d"], output: "a\nb\nc\n", want: 'no line like "d"' },
  { name: "a version", shown: ["tb2kxrz74u tb2kxrz74u"], output: "aaaaaaaaa2 aaaaaaaaa2\n" },
  { name: "one version for two", shown: ["tb2kxrz74u 32swpagccs"], output: "aaaaaaaaa2 aaaaaaaaa2\n", want: "no line" },
  { name: "a word for a version", shown: ["tb2kxrz74u"], output: "none\n", want: "no line" },
];

for (const { name, shown, output, want } of CASES) {
  Deno.test(`Likeness tells what is different: ${name}`, () => {
    const said = new Likeness().difference(shown, output);
    if (want === undefined) expect(said).toBeUndefined();
    else expect(said).toContain(want);
  });
}

Deno.test("Likeness holds a version for the same one from one output to the next", () => {
  const likeness = new Likeness();
  expect(likeness.difference(["tb2kxrz74u"], "aaaaaaaaa2")).toBeUndefined();
  expect(likeness.difference(["tb2kxrz74u"], "aaaaaaaaa3")).toContain("no line");
  expect(likeness.difference(["32swpagccs"], "aaaaaaaaa2")).toContain("no line");
  expect(likeness.difference(["32swpagccs"], "aaaaaaaaa3")).toBeUndefined();
  expect(likeness.translated("rollback --to 32swpagccs")).toBe("rollback --to aaaaaaaaa3");
});
