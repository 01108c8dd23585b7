import { expect } from "expect";
import { formatFinding, formatKey } from "../../base/mod.ts";
import { readManifest } from "./documents.ts";
import { planDirectory, type Provenance } from "./plan.ts";

const KINDS = [{ apiVersion: "x/v1", kind: "Config" }];

/** `file: "a b"` holds the objects a and b; `!…` is a file that does not parse, `?` one that cannot be read. */
type Files = Record<string, string>;

function manifests(files: Files) {
  return Object.entries(files).sort(([a], [b]) => a < b ? -1 : 1).map(([name, content]) => {
    const unreadable = content === "?";
    const broken = content.startsWith("!");
    const names = content.replace("!", "").split(" ").filter((word) => word !== "");
    const documents = names.map((object) =>
      object.endsWith("/v2")
        ? `apiVersion: x/v2\nkind: Config\nmetadata: {name: ${object.slice(0, -3)}}\n`
        : `apiVersion: x/v1\nkind: Config\nmetadata: {name: ${object}}\nfrom: ${name}\n`
    );
    const text = documents.join("---\n") + (broken ? "\n]]]" : "");
    const file = unreadable ? { name, text: undefined, problem: "no", stamp: "" } : { name, text, stamp: "" };
    return readManifest(file, { path: name, kinds: KINDS });
  });
}

function provenanceOf(origins: Record<string, string>): Provenance {
  return new Map(
    Object.entries(origins).map(([name, file]) => {
      const key = { kind: "Config", namespace: "default", name };
      return [formatKey(key), { key, file }];
    }),
  );
}

interface Case {
  readonly files: Files;
  /** Object → the file that it came from. */
  readonly had?: Record<string, string>;
  readonly unreadable?: string[];
  readonly allowEmpty?: boolean;
  readonly want: { readonly claims: string; readonly removals?: string; readonly findings?: string[] };
}

const CASES: Record<string, Case> = {
  "the union of all files": {
    files: { "a.yaml": "one two", "b.yaml": "three" },
    want: { claims: "one<a two<a three<b" },
  },
  "an object that is in no file any more": {
    files: { "a.yaml": "one" },
    had: { one: "a.yaml", two: "a.yaml" },
    want: { claims: "one<a", removals: "two" },
  },
  "a file that was deleted": {
    files: { "b.yaml": "two" },
    had: { one: "a.yaml", two: "b.yaml" },
    want: { claims: "two<b", removals: "one" },
  },
  "a document that was moved": {
    files: { "a.yaml": "one", "b.yaml": "two" },
    had: { one: "a.yaml", two: "a.yaml" },
    want: { claims: "one<a two<b" },
  },
  "a file that was renamed": { files: { "b.yaml": "one" }, had: { one: "a.yaml" }, want: { claims: "one<b" } },
  "a file that does not parse keeps all that came from it": {
    files: { "a.yaml": "!one", "b.yaml": "three" },
    had: { one: "a.yaml", two: "a.yaml", three: "b.yaml", four: "b.yaml" },
    want: { claims: "three<b", removals: "four", findings: ["syntax", "kept"] },
  },
  "a file that cannot be read keeps all that came from it": {
    files: { "a.yaml": "?", "b.yaml": "two" },
    had: { one: "a.yaml", two: "b.yaml" },
    want: { claims: "two<b", findings: ["file", "kept"] },
  },
  "a file without a word in it keeps all that came from it": {
    files: { "a.yaml": "", "b.yaml": "two" },
    had: { one: "a.yaml", two: "b.yaml" },
    want: { claims: "two<b", findings: ["file", "kept"] },
  },
  "a document that was moved into a file that does not parse stays": {
    files: { "a.yaml": "one", "b.yaml": "!two" },
    had: { one: "a.yaml", two: "a.yaml" },
    want: { claims: "one<a", findings: ["syntax", "kept"] },
  },
  "a document moved out of a file that does not parse is taken where it is": {
    files: { "a.yaml": "!one", "b.yaml": "two" },
    had: { one: "a.yaml", two: "a.yaml" },
    want: { claims: "two<b", findings: ["syntax", "kept"] },
  },
  "a document in two files, one of which does not parse, stays with that one": {
    files: { "a.yaml": "!one", "b.yaml": "one two" },
    had: { one: "a.yaml" },
    want: { claims: "two<b", findings: ["syntax", "duplicate"] },
  },
  "the same object in two new files: the first by name has it": {
    files: { "a.yaml": "one", "b.yaml": "one" },
    want: { claims: "one<a", findings: ["duplicate"] },
  },
  "the same object in two files: the one that had it keeps it": {
    files: { "a.yaml": "one", "b.yaml": "one" },
    had: { one: "b.yaml" },
    want: { claims: "one<b", findings: ["duplicate"] },
  },
  "the same object twice in one file": {
    files: { "a.yaml": "one one" },
    want: { claims: "one<a", findings: ["duplicate"] },
  },
  "an empty directory removes nothing": {
    files: {},
    had: { one: "a.yaml", two: "b.yaml" },
    want: { claims: "", findings: ["empty"] },
  },
  "an empty directory that may be empty removes everything": {
    files: {},
    had: { one: "a.yaml", two: "b.yaml" },
    allowEmpty: true,
    want: { claims: "", removals: "one two" },
  },
  "an empty directory that never had anything is no finding": { files: {}, want: { claims: "" } },
  "a directory that cannot be read removes nothing, allowed to be empty or not": {
    files: {},
    had: { one: "a.yaml" },
    unreadable: [""],
    allowEmpty: true,
    want: { claims: "", findings: ["kept"] },
  },
  "a folder that cannot be read keeps what came from it": {
    files: { "a.yaml": "one" },
    had: { one: "a.yaml", two: "sub/b.yaml", three: "subway/c.yaml" },
    unreadable: ["sub"],
    want: { claims: "one<a", removals: "three", findings: ["kept"] },
  },
  "an object with another API version stays": {
    files: { "a.yaml": "one/v2 two" },
    had: { one: "a.yaml", two: "a.yaml" },
    want: { claims: "two<a", findings: ["object"] },
  },
  "an object that always had another API version is nobody's": { files: { "a.yaml": "one/v2" }, want: { claims: "" } },
};

for (const [name, { files, had = {}, unreadable = [], allowEmpty = false, want }] of Object.entries(CASES)) {
  Deno.test(`planDirectory(): ${name}`, () => {
    const plan = planDirectory({ manifests: manifests(files), unreadable, provenance: provenanceOf(had), allowEmpty });
    const claims = plan.claims.map(({ key, file }) => `${key.name}<${file.replace(".yaml", "")}`).join(" ");
    const removals = plan.removals.map(({ name }) => name).join(" ");
    const findings = [...new Set(plan.findings.map(({ rule }) => rule))];
    expect({ claims, removals, findings }).toEqual({ removals: "", findings: [], ...want });
  });
}

Deno.test("planDirectory() says where the other copy of an object is", () => {
  const input = { manifests: manifests({ "a.yaml": "zero one", "b.yaml": "one" }), unreadable: [], allowEmpty: false };
  const { findings } = planDirectory({ ...input, provenance: new Map() });
  expect(findings.map(formatFinding)).toEqual([
    'b.yaml:1:1: error: Config "default/one" is in a.yaml:6 too; that one stays',
  ]);
});
