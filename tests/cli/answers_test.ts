/**
 * What verbs print for machines is as the published schemas have it: every golden document of every verb, and no field of them can
 * go unnoticed.
 */
import { expect } from "expect";
import { ANSWERS } from "../../scripts/generate/answer_schemas.ts";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { COMMANDS } from "../../src/cli/mod.ts";
import { ANSWER_SCHEMAS, answerProblems } from "../answer_schema.ts";

const TOP = new URL("../../", import.meta.url);

/** Verbs whose documents are of somebody else's kind, and whose. */
const OF_OTHERS: Readonly<Record<string, string>> = {
  bootstrap: "envoy.config.bootstrap.v3.Bootstrap",
  crd: "apiextensions.k8s.io/v1 CustomResourceDefinition",
};

type Document = Readonly<Record<string, unknown>>;

function yamlOf(path: string): unknown {
  return parseYaml(Deno.readTextFileSync(new URL(path, TOP)), path).documents[0]?.value;
}

function casesIn(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, TOP))].map(({ name }) => `${folder}/${name}`).sort();
}

/** Golden documents by the name of the schema that they are to follow. */
async function goldenDocuments(): Promise<Map<string, Document[]>> {
  const found = new Map<string, Document[]>();
  const add = (name: string, document: unknown) => {
    found.set(name, [...found.get(name) ?? [], document as Document]); // what it is, its schema says
  };
  for (const path of casesIn("tests/cli/testdata")) {
    const { run } = yamlOf(`${path}/in.yaml`) as { run: string }; // tests/cli/scene.ts
    const { out } = yamlOf(`${path}/out.yaml`) as { out: string };
    if (/ -o (json|yaml)\b/.test(run) && out !== "") add(run.split(" ")[0]!, parseYaml(out, path).documents[0]?.value);
  }
  const listed = { certs: "src/cli/certs/testdata", "status-pods": "src/cli/status/pods/testdata" };
  for (const [name, folder] of Object.entries(listed)) {
    for (const path of casesIn(folder)) {
      const said = yamlOf(`${path}/out.yaml`) as { output: string; out: unknown }[]; // the tests beside it
      for (const { output, out } of said) if (output === "json") add(name, out);
    }
  }
  for (const path of casesIn("tests/validate/testdata")) {
    add("validate", JSON.parse(Deno.readTextFileSync(new URL(`${path}/out.json`, TOP))));
  }
  const manifests = decodeURIComponent(new URL("src/cli/migrate/testdata/", TOP).pathname);
  const typed = [["version"], ["migrate", `${manifests}marin3r`], ["migrate", "--back", `${manifests}chancery`]];
  for (const words of typed) add(words[0]!, JSON.parse((await runCaptured([...words, "-o", "json"])).out));
  return found;
}

const GOLDEN = await goldenDocuments();

Deno.test("every verb that answers in JSON has a schema, and so does what its options choose", async () => {
  const verbs: string[] = [];
  for (const [name, { load }] of Object.entries(COMMANDS)) {
    const options = Object.entries((await load()).command.options);
    const answers = options.some(([option, { choices }]) => option !== "logFormat" && choices?.includes("json"));
    if (answers && !(name in OF_OTHERS)) verbs.push(name);
  }
  const commands = ANSWERS.map(({ command }) => command.split(" ")[1]);
  expect([...new Set(commands)].sort()).toEqual(verbs.sort());
  expect(ANSWERS.map(({ name }) => name).filter((name) => !GOLDEN.has(name))).toEqual([]);
});

for (const [name, documents] of GOLDEN) {
  Deno.test(`manifests/schemas/${name}.json describes what is printed, and nothing of it can go unnoticed`, () => {
    for (const document of documents) expect(answerProblems(document, { name })).toEqual([]);
    const items = ["items", "remarks", "findings"].filter((list) => list in documents[0]!);
    for (const list of items) expect(documents.some((document) => (document[list] as unknown[]).length > 0)).toBe(true);
    for (const document of documents) {
      for (const field of Object.keys(document)) {
        const { [field]: value, ...rest } = document;
        expect(answerProblems(rest, { name })).toEqual([` must have required property '${field}'`]);
        expect(answerProblems({ ...rest, [`${field}s`]: value }, { name })).toHaveLength(2);
        expect(answerProblems({ ...document, [field]: Symbol.iterator }, { name })).not.toEqual([]);
      }
      for (const list of items) {
        const [first, ...others] = document[list] as Document[];
        for (const field of Object.keys(first ?? {})) {
          const { [field]: _, ...rest } = first!;
          const problems = answerProblems({ ...document, [list]: [rest, ...others] }, { name });
          expect(problems).toEqual([`/${list}/0 must have required property '${field}'`]);
        }
      }
    }
  });
}

/** The parts of a schema that describe objects with known fields, each with the name of the type that it is in. */
function* objectsIn(schema: unknown, type = ""): Generator<{ type: string; schema: Record<string, unknown> }> {
  if (typeof schema !== "object" || schema === null) return;
  for (const [key, value] of Object.entries(schema)) {
    if (key !== "definitions") yield* objectsIn(value, type);
    else for (const [type, definition] of Object.entries(value)) yield* objectsIn(definition, type);
  }
  if ("properties" in schema && "type" in schema) yield { type, schema: schema as Record<string, unknown> };
}

for (const [name, schema] of ANSWER_SCHEMAS) {
  Deno.test(`manifests/schemas/${name}.json wants every field, knows no other, and says what it is about`, () => {
    const { title, description } = schema as { title: string; description: string };
    expect(description).toContain(`\`${title}\``);
    const objects = [...objectsIn(schema)];
    expect(objects.length).toBeGreaterThan(0);
    for (const { type, schema: { properties, required = [], additionalProperties } } of objects) {
      expect([type, [...required as string[]].sort()]).toEqual([type, Object.keys(properties as object).sort()]);
      expect([type, additionalProperties]).toEqual([type, false]);
    }
  });
}
