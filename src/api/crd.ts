import type { KindDefinition } from "./kind.ts";
import { ruleForChanges } from "./validation_rule.ts";

/** Keywords that Kubernetes' structural schemas take over as they are. */
const KEPT = [
  "description",
  "type",
  "format",
  "enum",
  "minimum",
  "maximum",
  "minLength",
  "maxLength",
  "pattern",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "nullable",
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-list-type",
  "x-kubernetes-list-map-keys",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
] as const;

/** `spec` is not simply required: an object that was stored without one could not even be labelled any more. */
const SPEC_IS_SET = ruleForChanges({
  before: "!has(old.spec)",
  rule: "has(self.spec)",
  message: "spec must be set",
});

/**
 * The CustomResourceDefinition of a kind: the very schema our own check uses, in Kubernetes' dialect. No defaults, so that
 * nobody's manifest is written to (W36). What older programs have stored stays usable: the API server lets a value that breaks
 * a limit pass while it is unchanged, except inside of lists, which are new as a whole when one item is; so no limit
 * that older programs did not have stands inside of a list, but for one that only keeps out what Envoy never took.
 */
export function crdOf(kind: KindDefinition): Record<string, unknown> {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${kind.group}` },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: [...kind.shortNames],
      },
      scope: "Namespaced",
      versions: [{
        name: kind.version,
        served: true,
        storage: true,
        subresources: { status: {}, ...(kind.scale ? { scale: scaleOf(kind.scale) } : {}) },
        additionalPrinterColumns: kind.printerColumns.map((column) => ({ ...column })),
        schema: {
          openAPIV3Schema: {
            description: kind.description,
            type: "object",
            ...(isRequired(kind.spec) ? { "x-kubernetes-validations": [SPEC_IS_SET] } : {}),
            properties: {
              apiVersion: { type: "string", description: "Version of this object's schema" },
              kind: { type: "string", description: "The kind of this object" },
              metadata: { type: "object" },
              spec: structural(kind.spec),
              status: structural(kind.status),
            },
          },
        },
      }],
    },
  };
}

function scaleOf({ spec, status, selector }: NonNullable<KindDefinition["scale"]>): Record<string, unknown> {
  return { specReplicasPath: spec, statusReplicasPath: status, labelSelectorPath: selector };
}

/** A spec that must hold something must be there. */
function isRequired(spec: { readonly required?: readonly string[] }): boolean {
  return (spec.required ?? []).length > 0;
}

function structural(schema: object): Record<string, unknown> {
  const from = schema as Record<string, unknown>; // TypeBox values are JSON Schema documents
  const out: Record<string, unknown> = {};
  for (const keyword of KEPT) if (from[keyword] !== undefined) out[keyword] = from[keyword];
  // Said aloud, for it decides over who owns what: whoever applies a list owns all of it.
  if (from.type === "array") out["x-kubernetes-list-type"] ??= "atomic";
  const { properties, items, required, additionalProperties } = from;
  if (isSchema(properties)) {
    out.properties = Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, isSchema(field) ? structural(field) : {}]),
    );
  }
  if (Array.isArray(required) && required.length > 0) out.required = required;
  if (isSchema(items)) out.items = structural(items);
  if (isSchema(additionalProperties)) out.additionalProperties = structural(additionalProperties);
  return out;
}

function isSchema(value: unknown): value is object {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
