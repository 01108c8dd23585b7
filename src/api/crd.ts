import type { KindDefinition } from "./kind.ts";

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
  "x-kubernetes-int-or-string",
  "x-kubernetes-preserve-unknown-fields",
] as const;

/**
 * The CustomResourceDefinition of a kind: the very schema our own check uses, in Kubernetes' dialect. No defaults, so that
 * nobody's manifest is written to (W36).
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
        subresources: { status: {} },
        additionalPrinterColumns: kind.printerColumns.map((column) => ({ ...column })),
        schema: {
          openAPIV3Schema: {
            description: kind.description,
            type: "object",
            required: ["spec"],
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

function structural(schema: object): Record<string, unknown> {
  const from = schema as Record<string, unknown>; // TypeBox values are JSON Schema documents
  const out: Record<string, unknown> = {};
  for (const keyword of KEPT) if (from[keyword] !== undefined) out[keyword] = from[keyword];
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
