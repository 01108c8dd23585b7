import { expect } from "expect";
import { expand } from "./expand.ts";

const VARIABLES = new Map([["A", "1"], ["B", "two"], ["EMPTY", ""]]);

for (
  const [text, wanted] of [
    ["$(A)-$(B)", "1-two"],
    ["$(EMPTY)", ""],
    ["$(NOBODY)", "$(NOBODY)"],
    ["$$(A)", "$(A)"],
    ["$$$(A)", "$1"],
    ["$A and $", "$A and $"],
    ["$(A", "$(A"],
  ] as const
) {
  Deno.test(`expand() makes ${JSON.stringify(wanted)} of ${JSON.stringify(text)}`, () => {
    expect(expand(text, VARIABLES)).toBe(wanted);
  });
}
