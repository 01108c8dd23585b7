import { expect } from "expect";
import fc from "fast-check";
import type { PathSegment } from "../finding.ts";
import { parseYaml } from "./mod.ts";

Deno.test("parseYaml() never throws, and every place lies in the text", () => {
  const piece = fc.oneof(
    fc.constantFrom(..."-?:,[]{}#&*!|>'\"%@`\n\r\t ~=<\\.0x_a1".split("")),
    fc.constantFrom(
      "\n  ",
      "- ",
      ": ",
      "? ",
      "--- ",
      "\n---\n",
      "...\n",
      "<<: ",
      "&a ",
      "*a",
      "!!int ",
      "!!binary ",
      "|-\n",
      ">+\n",
    ),
    fc.constantFrom("%YAML 1.1\n", "%TAG ! x\n", "\u0000", "\ud800", "\ufeff", "é", "😀", "0b", "1e9"),
    fc.string({ maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const { documents, findings } = parseYaml(text, "f", { maxDepth: 20 });
      const lineCount = text.split("\n").length;
      const places = findings.map((f) => f.source);
      for (const document of documents) {
        for (const path of pathsOf(document.value)) places.push(document.positionOf(path));
        expect(JSON.stringify(document.value).length).toBeLessThan(1e6);
      }
      for (const place of places) {
        expect(place!.line).toBeGreaterThan(0);
        expect(place!.line).toBeLessThanOrEqual(lineCount);
        expect(place!.column).toBeGreaterThan(0);
      }
    }),
    { numRuns: 3000 },
  );
});

function pathsOf(value: unknown, at: PathSegment[] = []): PathSegment[][] {
  if (typeof value !== "object" || value === null) return [at];
  const entries: [PathSegment, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [at, ...entries.slice(0, 5).flatMap(([key, child]) => pathsOf(child, [...at, key]))].slice(0, 50);
}

const N = 50_000;
const HOSTILE: Record<string, string> = {
  "open brackets": "[".repeat(N),
  "open braces": "{".repeat(N),
  "nested lists on one line": "- ".repeat(N),
  "nested keys": "? ".repeat(N),
  "colons": ": ".repeat(N),
  "an indented stair": Array.from({ length: 2000 }, (_, i) => `${" ".repeat(i)}a:`).join("\n"),
  "empty flow entries": "[" + ",".repeat(N),
  "anchors": "&a ".repeat(N),
  "tags": "!a ".repeat(N),
  "stray ends": "]".repeat(N),
  "document marks": "---\n".repeat(N),
  "broken directives": "%\n".repeat(N),
  "lists that never end": "- [a\n".repeat(N),
  "the same key": "a: 1\n".repeat(N),
  "many keys": Array.from({ length: N }, (_, i) => `k${i}: 1`).join("\n"),
  "many aliases": `a: &a 1\nb: [${"*a,".repeat(N)}]`,
};

for (const [name, text] of Object.entries(HOSTILE)) {
  Deno.test(`parseYaml() is done in time with ${name}`, () => {
    const start = performance.now();
    const { findings } = parseYaml(text, "f");
    expect(findings.length).toBeLessThanOrEqual(100);
    expect(performance.now() - start).toBeLessThan(5000);
  });
}

Deno.test("parseYaml() refuses deep nesting, long texts and too many tokens by name", () => {
  const rule = (text: string, limits: object) => parseYaml(text, "f", limits).findings.map((f) => f.rule);
  expect(rule("[".repeat(200), {})).toEqual(["too-deep"]);
  expect(rule("[".repeat(100) + "]".repeat(100), {})).toEqual([]);
  expect(rule("- ".repeat(200), {})).toEqual(["too-deep"]);
  expect(rule("a: 12345", { maxCharacters: 5 })).toEqual(["too-long"]);
  expect(rule("a: 1\nb: 2\n", { maxTokens: 5 })).toEqual(["too-long"]);
});

Deno.test("parseYaml() refuses an alias bomb, and its value stays small", () => {
  let text = "l0: &l0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (let i = 1; i < 12; i++) text += `l${i}: &l${i} [${Array(10).fill(`*l${i - 1}`).join(",")}]\n`;
  const { documents, findings } = parseYaml(text, "f");
  expect(documents).toEqual([]);
  expect(findings[0]?.rule).toBe("alias-expansion");
  const big = `a: &a ${"x".repeat(100_000)}\nb: [${"*a,".repeat(1000)}]`;
  expect(parseYaml(big, "f").findings.map((f) => f.rule)).toEqual(["alias-expansion"]);
});

Deno.test("parseYaml() stops the library from making an error for each fault of a document", () => {
  const { findings } = parseYaml("[" + ",".repeat(N), "f");
  expect(findings.map((f) => f.message)).toEqual(["too many syntax errors in one document"]);
  const warnings = parseYaml(`[${"!x a,".repeat(N)}]`, "f").findings;
  expect(warnings.at(-1)!.message).toBe("too many syntax errors in one document");
});

Deno.test("positionOf() does not walk the whole tree again and again for many aliases", () => {
  const count = 2000;
  const text = Array.from({ length: count }, (_, i) => `a${i}: &n${i} {x: 1}`).join("\n") +
    `\nall: [${Array.from({ length: count }, (_, i) => `*n${i}`).join(",")}]`;
  const before = performance.now();
  const [document] = parseYaml(text, "f").documents;
  const start = performance.now();
  for (let i = 0; i < 100; i++) expect(document!.positionOf(["all", i, "x"])!.line).toBe(i + 1);
  // However busy the machine is: reading the text takes as much longer.
  expect(performance.now() - start).toBeLessThan(10 * (start - before));
});
