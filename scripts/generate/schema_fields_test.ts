import { expect } from "expect";
import { keepsFields } from "./answer_schemas.ts";
import { type FieldSchema, schemaFields } from "./schema_fields.ts";

const SCHEMA: FieldSchema = {
  properties: { version: {}, items: { items: { $ref: "#/definitions/Item" } } },
  definitions: {
    Item: {
      properties: {
        name: {},
        clients: { anyOf: [{ properties: { connected: {} } }, {}] },
        counts: { additionalProperties: { properties: { sent: {} } } },
        parts: { items: { $ref: "#/definitions/Item" } },
      },
    },
  },
};

Deno.test("schemaFields() names fields by their way through the document, each once", () => {
  expect([...schemaFields(SCHEMA)]).toEqual([
    ...["version", "items", "items[].name", "items[].clients", "items[].clients.connected"],
    ...["items[].counts", "items[].counts.*.sent", "items[].parts"],
  ]);
});

Deno.test("keepsFields() refuses to take a field away that is published, and lets parts have other names", () => {
  const renamed = JSON.parse(JSON.stringify(SCHEMA).replaceAll("Item", "Thing"));
  keepsFields("status", { published: SCHEMA, made: renamed });
  const lost = JSON.parse(JSON.stringify(SCHEMA).replace('"connected"', '"conected"').replace('"name":{},', ""));
  expect(() => keepsFields("status", { published: SCHEMA, made: lost })).toThrow(
    'Cannot write "manifests/schemas/status.json": fields are never removed, and there is none called "items[].name", ' +
      '"items[].clients.connected" any more',
  );
});
