import { expect } from "expect";
import fc from "fast-check";
import { DEFAULT_YAML_LIMITS } from "./limits.ts";
import { stringifyYaml } from "./mod.ts";
import { parseFully } from "./parse.ts";
import { quickRead } from "./quick.ts";

/** Compares both ways; gives whether the quick one had an answer. */
function compare(text: string): boolean {
  const quick = quickRead(text, DEFAULT_YAML_LIMITS);
  if (!quick) return false;
  const full = parseFully(text, { file: "f", bounds: DEFAULT_YAML_LIMITS });
  const about = JSON.stringify(text);
  expect({ about, findings: full.findings }).toEqual({ about, findings: [] });
  expect({ about, values: quick.map(({ value }) => value) }).toEqual({
    about,
    values: full.documents.map(({ value }) => value),
  });
  for (const [index, { offset }] of quick.entries()) {
    expect({ about, line: text.slice(0, offset).split("\n").length }).toEqual({
      about,
      line: full.documents[index]!.line,
    });
  }
  return true;
}

const RUNS = Number(Deno.env.get("YAML_RUNS") ?? 2000);

Deno.test("quickRead() reads what the full way reads without a word, or leaves it alone: arbitrary pieces", () => {
  const piece = fc.oneof(
    fc.constantFrom(..."-?:,[]{}#&*!|>'\"%@`\n\n\n  ~=<\\.0x_a1".split("")),
    fc.constantFrom(
      "\n  ",
      "\n    ",
      "- ",
      ": ",
      ":\n",
      "? ",
      "--- ",
      "\n---\n",
      "...\n",
      "<<: ",
      "&a ",
      "*a",
      "!!int ",
      "|\n",
    ),
    fc.constantFrom(
      "a: ",
      "b: ",
      "\n- ",
      "\n  - ",
      " # c",
      "'x'",
      '"y"',
      "|-\n  ",
      ">+\n ",
      "|2\n",
      "\\u0041",
      "\\\n",
      "null",
      "\t",
    ),
  );
  let read = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      if (compare(pieces.join(""))) read++;
    }),
    { numRuns: RUNS },
  );
  expect(read).toBeGreaterThan(RUNS / 50);
});

Deno.test("quickRead() reads what the full way reads: lines as people write them", () => {
  const scalar = fc.constantFrom(
    "x",
    "yes",
    "010",
    "~",
    "",
    "'a b'",
    '"a\\nb"',
    "1e3",
    "{a: 1}",
    "[1, {b: 2}]",
    "[]",
    "{}",
    "a: b",
    "|",
    ">-",
    "|+",
    "x # y",
    "*",
    '"*"',
    "1_0",
    "a\\b",
    "- z",
    "null",
    "'it''s'",
  );
  const line = fc.record({
    indent: fc.nat(4),
    dash: fc.constantFrom("", "", "- ", "- - "),
    key: fc.constantFrom("", "a:", "b:", "c:", "d:", '"e":', "1:", "f g:"),
    scalar,
    gap: fc.constantFrom(" ", "  ", ""),
  });
  let read = 0;
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), fc.constantFrom("", "\n", "\n\n"), (lines, end) => {
      const text = lines.map((l) => " ".repeat(l.indent * 2) + l.dash + l.key + l.gap + l.scalar).join("\n") + end;
      if (compare(text)) read++;
    }),
    { numRuns: RUNS },
  );
  expect(read).toBeGreaterThan(RUNS / 50);
});

Deno.test("quickRead() takes what stringifyYaml() and JSON.stringify() write", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      for (const text of [stringifyYaml(value), JSON.stringify(value), JSON.stringify(value, null, 2)]) compare(text);
    }),
    { numRuns: RUNS / 10 },
  );
  const usual = {
    spec: { resources: [{ type: "cluster", value: { name: "a", domains: ["*"], n: 1, text: "x\ny\n" } }] },
  };
  expect(compare(stringifyYaml(usual))).toBe(true);
  expect(compare(JSON.stringify(usual, null, 2))).toBe(true);
});
