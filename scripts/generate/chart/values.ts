import { type Setting, SETTINGS } from "../../../src/install/settings/mod.ts";
import { stringifyYaml } from "../../../src/base/yaml/mod.ts";
import { GENERATED } from "../manifest.ts";

type Json = Readonly<Record<string, unknown>>;

/** `values.yaml`: every setting with what it means. */
export function valuesText(): string {
  let text = GENERATED;
  let group = "";
  for (const [name, { help, default: fallback }] of Object.entries<Setting>(SETTINGS)) {
    const [first = name, second] = name.split(".");
    if (second !== undefined && first !== group) text += `${first}:\n`;
    group = second === undefined ? "" : first;
    const indent = second === undefined ? "" : "  ";
    const lines = `# ${help}.\n${stringifyYaml({ [second ?? first]: fallback })}`;
    text += lines.replaceAll(/^(?=.)/gm, indent);
  }
  return text;
}

const TYPES: Readonly<Record<Setting["type"], Json>> = {
  text: { type: "string" },
  count: { type: "integer", minimum: 0 },
  switch: { type: "boolean" },
  texts: { type: "array", items: { type: "string" } },
  mapping: { type: "object" },
  mappings: { type: "array", items: { type: "object" } },
};

/** `values.schema.json`: what may be set, and nothing else. */
export function schemaText(): string {
  const properties: Record<string, { properties?: Record<string, unknown> } & Json> = {};
  for (const [name, { type, help, choices }] of Object.entries<Setting>(SETTINGS)) {
    const [first = name, second] = name.split(".");
    const field = { ...TYPES[type], ...(choices && { enum: choices }), description: help };
    if (second === undefined) properties[first] = field;
    else {
      const group = properties[first] ?? { type: "object", additionalProperties: false };
      properties[first] = { ...group, properties: { ...group.properties, [second]: field } };
    }
  }
  // What Helm itself adds.
  properties["global"] = { type: "object" };
  const schema = {
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    additionalProperties: false,
    properties,
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
