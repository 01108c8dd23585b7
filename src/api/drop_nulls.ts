/** The part of JSON Schema that says where a null may stand. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/**
 * A checked value without the nulls that stand for "not set", as an API server drops them; Kubernetes itself writes some, such
 * as `ports: null`. What a schema preserves is left alone. Returns the value itself when there is nothing to drop.
 */
export function dropNulls<T>(schema: unknown, value: T): T {
  return drop(schema as Schema, value) as T; // TypeBox values are JSON Schema documents; the shape stays
}

function drop(schema: Schema | undefined, value: unknown): unknown {
  if (value === null || typeof value !== "object" || schema?.["x-kubernetes-preserve-unknown-fields"]) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => drop(schema?.items, item));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  const rest = typeof schema?.additionalProperties === "object" ? schema.additionalProperties : undefined;
  let changed = false;
  const kept: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) {
    const known = schema?.properties && Object.hasOwn(schema.properties, name) ? schema.properties[name] : rest;
    if (field === null && known) {
      changed = true;
      continue;
    }
    const dropped = known ? drop(known, field) : field;
    changed ||= dropped !== field;
    kept.push([name, dropped]);
  }
  return changed ? Object.fromEntries(kept) : value;
}
