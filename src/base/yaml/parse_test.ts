import { expect } from "expect";
import fc from "fast-check";
import { formatFinding } from "../finding.ts";
import { parseYaml, stringifyYaml } from "./mod.ts";

function only(text: string): unknown {
  const { documents, findings } = parseYaml(text, "f.yaml");
  expect(findings).toEqual([]);
  expect(documents.length).toBe(1);
  return documents[0]!.value;
}

function told(text: string): string[] {
  return parseYaml(text, "f.yaml").findings.map(formatFinding);
}

// Left: what is written after "a: ". Right: what `sigs.k8s.io/yaml` 1.6 makes of it.
const SCALARS: [string, unknown][] = [
  ["y", true],
  ["Yes", true],
  ["On", true],
  ["oN", "oN"],
  ["n", false],
  ["OFF", false],
  ["~", null],
  ["", null],
  ["Null", null],
  ["010", 8],
  ["0o17", 15],
  ["-0o17", -15],
  ["0o8", "0o8"],
  ["08", 8],
  ["-010", -8],
  ["0b11", 3],
  ["-0b11", -3],
  ["0x1F", 31],
  ["0x", "0x"],
  ["0x_1", 1],
  ["1_000", 1000],
  ["1_", 1],
  ["_1", "_1"],
  ["+1", 1],
  ["+", "+"],
  ["+.5", 0.5],
  [".5", 0.5],
  [".", "."],
  ["..5", "..5"],
  ["1.", 1],
  ["1e3", 1000],
  ["1e", "1e"],
  ["012e3", 12000],
  ["1e3_0", 1e30],
  ["1_000.5", 1000.5],
  ["1e400", "1e400"],
  ["1:30", "1:30"],
  ["190:20:30", "190:20:30"],
  ["2024-01-01", "2024-01-01"],
  ["2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z"],
  ["!!timestamp 2024-01-01", "2024-01-01"],
  ["!!str 12", "12"],
  ["! 12", "12"],
  ['!!int "12"', 12],
  ["!!int 0o17", 15],
  ["!!float 12", 12],
  ["!!bool yes", true],
  ["!!null ''", null],
  ["!!binary aGk=", "hi"],
  ["'yes'", "yes"],
  ["=", "="],
  ["<<", "<<"],
  ["1 2", "1 2"],
  ["'x' # c", "x"],
  ["!!omap [b: 1]", [{ b: 1 }]],
  ["!!set {b}", { b: null }],
];

for (const [text, value] of SCALARS) {
  Deno.test(`parseYaml() reads ${JSON.stringify(text)} as kubectl does`, () => {
    expect(only(`a: ${text}`)).toEqual({ a: value });
  });
}

Deno.test("parseYaml() turns keys into text as kubectl does", () => {
  expect(only("yes: 1\n12: 2\n1.5: 3\n'on': 4\n!!str off: 5")).toEqual({
    true: 1,
    12: 2,
    1.5: 3,
    on: 4,
    off: 5,
  });
});

Deno.test("parseYaml() adds no line break to a block scalar that ends with the file", () => {
  expect(only("a: |\n  x")).toEqual({ a: "x" });
  expect(only("a: |+\n  x")).toEqual({ a: "x" });
  expect(only("a: >\n  x\n  y")).toEqual({ a: "x y" });
  expect(only("a: |\n  x\n  ")).toEqual({ a: "x\n" });
  expect(only("a: |\n  x\nb: 1")).toEqual({ a: "x\n", b: 1 });
});

Deno.test("parseYaml() takes a comment that touches a quoted word for one, as kubectl does, and warns", () => {
  const { documents, findings } = parseYaml(`a: "x"#c\nb: [1]#d\n`, "f.yaml");
  expect(documents[0]!.value).toEqual({ a: "x", b: [1] });
  expect(findings.map(formatFinding)).toEqual([
    "f.yaml:1:7: warning: comments must be separated from other tokens by white space characters",
    "f.yaml:2:7: warning: comments must be separated from other tokens by white space characters",
  ]);
});

Deno.test("parseYaml() merges mappings, what is written out wins", () => {
  expect(only("a: &x {b: 1, c: 1}\nd: {<<: *x, b: 2}\ne: {b: 3, <<: [*x, {b: 4, f: 5}]}")).toEqual({
    a: { b: 1, c: 1 },
    d: { b: 2, c: 1 },
    e: { b: 3, c: 1, f: 5 },
  });
});

Deno.test("parseYaml() reads JSON with tabs, escapes and surrogate pairs", () => {
  expect(only('{\n\t"a": [1, -2.5e3, true, null],\t"b": "\\ud83d\\ude00\\/\\u0041"\n}')).toEqual({
    a: [1, -2500, true, null],
    b: "😀/A",
  });
});

Deno.test("parseYaml() reads several documents and leaves empty ones out", () => {
  const { documents, findings } = parseYaml("# head\n---\n---\na: 1\n---\n# nothing\n---\n\n- b\n...\n", "f.yaml");
  expect(findings).toEqual([]);
  expect(documents.map(({ value, index, line }) => ({ value, index, line }))).toEqual([
    { value: { a: 1 }, index: 0, line: 4 },
    { value: ["b"], index: 1, line: 9 },
  ]);
});

Deno.test("parseYaml() keeps the good documents of a file with a broken one", () => {
  const { documents, findings } = parseYaml("a: 1\n---\nb: [1\n---\nc: 3\n", "f.yaml");
  expect(documents.map((d) => d.value)).toEqual([{ a: 1 }, { c: 3 }]);
  expect(findings.length).toBeGreaterThan(0);
});

const FAULTS: [string, string][] = [
  ["a: 1\nb: 2\na: 3", 'f.yaml:3:1: error: a: key "a" is set twice'],
  ["x:\n  - {b: 1, 'b': 2}", 'f.yaml:2:12: error: x[0].b: key "b" is set twice'],
  ["1: 2\n'1': 3", 'f.yaml:2:1: error: 1: key "1" is set twice'],
  ["yes: 2\ntrue: 3", 'f.yaml:2:1: error: true: key "true" is set twice'],
  ["null: 1", "f.yaml:1:1: error: a key must be a word, a number or a truth value"],
  ["[a]: 1", "f.yaml:1:1: error: a key must be a word, a number or a truth value"],
  ["a: &x [*x]", "f.yaml:1:8: error: a[0]: this alias contains itself"],
  ["a: *nope", 'f.yaml:1:4: error: a: this alias has no anchor before it; text that begins with "*" needs quotes'],
  ["a: {<<: 1}", "f.yaml:1:5: error: a: only mappings can be merged in"],
  ["a: .inf", "f.yaml:1:4: error: a: infinity and not-a-number are no JSON values"],
  ["a: !!int yes", "f.yaml:1:10: error: a: this is no value of type !!int"],
  ["a: !!binary $", "f.yaml:1:13: error: a: this is no base64 of UTF-8 text, as !!binary wants"],
  ['a: "\\ud83d"', "f.yaml:1:4: error: a: half of a surrogate pair is no text"],
  [
    "a: 9007199254740993",
    "f.yaml:1:4: warning: a: an integer of this size is rounded; put it in quotes",
  ],
  ["a: !x 1", "f.yaml:1:7: warning: a: this tag means nothing here and is left out"],
  ["a: b: c", "f.yaml:1:4: error: nested mappings are not allowed in compact mappings"],
  ["a:\n\t- b", "f.yaml:2:1: error: tabs are not allowed as indentation"],
  ['a: "x', 'f.yaml:1:6: error: missing closing "quote'],
  ["{b", "f.yaml:1:3: error: flow map must end with a }"],
  ['a: "\\q"', "f.yaml:1:5: error: this escape sequence is not known in double quotes"],
  ["a: @x", "f.yaml:1:4: error: plain value cannot start with reserved character @"],
];

for (const [text, message] of FAULTS) {
  Deno.test(`parseYaml() tells what is wrong with ${JSON.stringify(text)}`, () => {
    expect(told(text)[0]).toBe(message);
  });
}

Deno.test("I14: no finding quotes the text around a syntax error", () => {
  const secret = "c2VjcmV0LWNhbmFyeQ==";
  for (
    const frame of [
      "a: |x\n S",
      "a: b\nS",
      "a: [S",
      '{"a": S S}',
      "a: 'x' S",
      "%S\n---\na",
      "a: !<S",
      'a: "\\S"',
      "S: S: S",
    ]
  ) {
    const text = frame.replaceAll("S", secret);
    expect(told(text).join("\n")).not.toContain(secret);
  }
});

const FILE = `# head
apiVersion: v1
metadata:
  name: shop
base: &base
  deep: {x: 1}
items:
- name: a
  "odd key": 1
-   - inner
- *base
- <<: *base
  own: 2
- {j: [1,
   2]}
`;

const PLACES: [(string | number)[], number, number][] = [
  [[], 2, 1],
  [["metadata", "name"], 4, 3],
  [["metadata", "labels", "x"], 3, 1],
  [["items"], 7, 1],
  [["items", 0], 8, 3],
  [["items", 0, "odd key"], 9, 3],
  [["items", 1, 0], 10, 7],
  [["items", 2, "deep", "x"], 6, 10],
  [["items", 3, "deep"], 6, 3],
  [["items", 3, "own"], 13, 3],
  [["items", 4, "j", 1], 15, 4],
  [["items", 9], 7, 1],
  [["nowhere"], 2, 1],
];

for (const [path, line, column] of PLACES) {
  Deno.test(`positionOf() finds ${JSON.stringify(path)}`, () => {
    const [document] = parseYaml(FILE, "f.yaml").documents;
    expect(document!.positionOf(path)).toEqual({ file: "f.yaml", line, column });
  });
}

Deno.test("positionOf() counts lines of a file with CRLF and of later documents", () => {
  const { documents } = parseYaml("a: 1\r\n---\r\nb:\r\n  c: 1\r\n", "f.yaml");
  expect(documents[1]!.positionOf(["b", "c"])).toEqual({ file: "f.yaml", line: 4, column: 3 });
});

Deno.test("parseYaml() takes __proto__ as a key like any other", () => {
  const value = only("__proto__: {polluted: 1}");
  expect(Object.keys(value as object)).toEqual(["__proto__"]);
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
});

Deno.test("stringifyYaml() and parseYaml() are inverse for any JSON", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom(
      "yes",
      "010",
      "1:30",
      "~",
      "",
      "0o7",
      "2024-01-01",
      "<<",
      "y",
      "=",
      "- a",
      "a: b",
      "x\n",
      "\tx",
      "0b1",
      "1_0",
    ),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => Object.is(n, -0) ? 0 : n),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(text, tie("value"), { maxKeys: 4 }),
    ),
  })).value;
  fc.assert(
    fc.property(json, (value) => {
      for (const written of [stringifyYaml({ value }), JSON.stringify({ value })]) {
        const { documents, findings } = parseYaml(written, "f.yaml");
        expect(findings.filter((f) => f.severity === "error")).toEqual([]);
        expect(JSON.stringify(documents[0]!.value)).toBe(JSON.stringify({ value }));
      }
    }),
    { numRuns: 500 },
  );
});
