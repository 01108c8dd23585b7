import { expect } from "expect";
import { crdOf } from "./crd.ts";
import { KINDS } from "./kinds/mod.ts";
import { ENVOY_CONFIG } from "./envoy_config.ts";
import { lostFields, type ServedSchema } from "./lost_fields.ts";

function schemaOf(kind: (typeof KINDS)[number]): ServedSchema {
  const { spec } = crdOf(kind) as { spec: { versions: { schema: { openAPIV3Schema: ServedSchema } }[] } };
  return spec.versions[0]!.schema.openAPIV3Schema;
}

/** A copy without the part at a path below `properties`. */
function without(schema: ServedSchema, path: string): ServedSchema {
  const copy = structuredClone(schema);
  const steps = `properties.${path}`.split(".");
  const last = steps.pop()!;
  const parent = steps.reduce((part, step) => part[step] as Record<string, unknown>, copy as Record<string, unknown>);
  delete parent[last];
  return copy;
}

Deno.test("lostFields() finds nothing in a CRD of this version", () => {
  for (const kind of KINDS) expect([kind.kind, lostFields(kind, schemaOf(kind))]).toEqual([kind.kind, []]);
});

Deno.test("lostFields() names what an earlier CRD lacks, once, and nothing that is kept unseen", () => {
  const lacking = [
    "spec.properties.rollback",
    "spec.properties.resources.items.properties.generateFromOpaqueSecret",
    "status.properties.conditions.items.properties.reason",
  ];
  const served = lacking.reduce(without, schemaOf(ENVOY_CONFIG));
  expect(lostFields(ENVOY_CONFIG, served)).toEqual([
    "spec.resources[].generateFromOpaqueSecret",
    "spec.rollback",
    "status.conditions[].reason",
  ]);
  expect(lostFields(ENVOY_CONFIG, { properties: { spec: { "x-kubernetes-preserve-unknown-fields": true } } }))
    .toEqual(["status"]);
});
