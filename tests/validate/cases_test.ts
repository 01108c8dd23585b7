/**
 * Cases of `chancery validate`, a folder each: the files in `in/` (and the options of `args.txt`) give the text of `out.txt`
 * and the document of `out.json`. `UPDATE_GOLDEN=1` writes what came out instead; read the difference as carefully as code.
 */
import { expect } from "expect";
import { runCaptured } from "../../src/cli/fake_terminal.ts";
import { envoyRegistry } from "../../src/envoy/mod.ts";
import { caseTitle } from "../golden/cases.ts";

const CASES = new URL("testdata/", import.meta.url);
const names = [...Deno.readDirSync(CASES)].map(({ name }) => name).sort();

for (const name of names) {
  Deno.test(caseTitle("chancery validate", name), async () => {
    const folder = new URL(`${name}/`, CASES);
    const input = new URL("in", folder).pathname;
    const given = await Deno.readTextFile(new URL("args.txt", folder)).catch(() => "");
    const args = ["validate", ...given.split(/\s+/).filter(Boolean), input];
    const shown = async (...more: string[]) => {
      const { status, out, err } = await runCaptured([...args, ...more]);
      expect(err).toBe("");
      return { status, out: out.replaceAll(`${input}/`, "").replaceAll(input, "in") };
    };
    const text = await shown();
    const json = await shown("--format", "json");
    expect(json.status).toBe(text.status);
    expect(text.out + json.out).not.toMatch(/canary/);
    await compare(new URL("out.txt", folder), `${text.out}exit status ${text.status}\n`);
    await compare(new URL("out.json", folder), json.out);
  });
}

async function compare(file: URL, text: string): Promise<void> {
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(file, text);
  else expect(text).toBe(await Deno.readTextFile(file));
}

const REQUIRED = [
  "any.required",
  "bool.const",
  "double.gt",
  "enum.defined_only",
  "oneof.required",
];

/** Rules that only switch others on or off. */
const MODIFIERS = /\.(ignore_empty|strict|skip)$/;

/** The kinds of rules that the API has for messages of a config: `string.min_len`. */
function kindsOfRules(): Set<string> {
  const registry = envoyRegistry();
  const codec = registry.codec("validate.FieldRules");
  const kinds = new Set<string>(["oneof.required"]);
  const collect = (rules: Record<string, unknown>) => {
    for (const [kind, bounds] of Object.entries(rules)) {
      for (const [bound, value] of Object.entries(bounds as Record<string, unknown>)) { // FieldRules holds messages
        if (["items", "keys", "values"].includes(bound)) collect(value as Record<string, unknown>); // FieldRules again
        else if (!MODIFIERS.test(`${kind}.${bound}`)) kinds.add(`${kind}.${bound}`);
      }
    }
  };
  for (const name of registry.names()) {
    if (!/^envoy\.(config|extensions|type)\./.test(name) || registry.message(name)!.unchecked) continue;
    for (const field of registry.message(name)!.fields) if (field.rules) collect(codec.decode(field.rules));
  }
  return kinds;
}

Deno.test("every kind of rule that Envoy's API has is broken in a case", () => {
  const broken = new Set<string>();
  for (const name of names) {
    const { findings } = JSON.parse(Deno.readTextFileSync(new URL(`${name}/out.json`, CASES)));
    for (const { rule } of findings) broken.add(rule);
  }
  const kinds = kindsOfRules();
  expect(REQUIRED.filter((kind) => !kinds.has(kind))).toEqual([]);
  expect([...kinds].filter((kind) => !broken.has(kind)).sort()).toEqual([]);
});
