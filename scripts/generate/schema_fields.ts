/** A JSON Schema, as far as it is walked through. */
export interface FieldSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly anyOf?: readonly FieldSchema[];
  readonly additionalProperties?: boolean | FieldSchema;
  readonly definitions?: Readonly<Record<string, FieldSchema>>;
}

/** Paths of all fields that documents have, `items[].clients.streams`, whatever the parts of the schema are called. */
export function schemaFields(schema: FieldSchema): ReadonlySet<string> {
  const fields = new Set<string>();
  const walk = (part: FieldSchema, path: string, within: readonly string[]): void => {
    const name = part.$ref?.replace("#/definitions/", "");
    if (name !== undefined && !within.includes(name)) { // what holds itself has no end
      walk(schema.definitions?.[decodeURIComponent(name)] ?? {}, path, [...within, name]);
    }
    for (const [field, value] of Object.entries(part.properties ?? {})) {
      const here = path === "" ? field : `${path}.${field}`;
      fields.add(here);
      walk(value, here, within);
    }
    if (part.items) walk(part.items, `${path}[]`, within);
    if (typeof part.additionalProperties === "object") walk(part.additionalProperties, `${path}.*`, within);
    for (const choice of part.anyOf ?? []) walk(choice, path, within);
  };
  walk(schema, "", []);
  return fields;
}
