import { Ajv } from "ajv";
import { ANSWERS } from "../scripts/generate/answer_schemas.ts";

const SCHEMAS = new URL("../manifests/schemas/", import.meta.url);

/** The JSON Schemas of the answers as they are published, by name. */
export const ANSWER_SCHEMAS: ReadonlyMap<string, Readonly<Record<string, unknown>>> = new Map(
  ANSWERS.map(({ name }) => [name, JSON.parse(Deno.readTextFileSync(new URL(`${name}.json`, SCHEMAS)))]),
);

const ajv = new Ajv({ strict: true, allowUnionTypes: true, allErrors: true });
for (const [name, schema] of ANSWER_SCHEMAS) ajv.addSchema(schema, name);

/** What of a document is not as its schema has it, `/items/0 must have required property 'name'`; `type` names a part of the schema. */
export function answerProblems(document: unknown, { name, type }: { name: string; type?: string }): string[] {
  const validate = ajv.getSchema(type === undefined ? name : `${name}#/definitions/${type}`);
  if (!validate) throw new Error(`Cannot find a schema for ${JSON.stringify([name, type])}`);
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
