/** A schema of ours, as far as its fields are looked for. */
interface Schema {
  /** Only what is made by the schema library has one: what Kubernetes' own types look like was copied in. */
  readonly "~kind"?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

/**
 * The paths of all fields of a schema: `pkiConfig.trustDelay`, and `ports[].name` for those of a list's items. A type of Kubernetes' own
 * is one field, whatever is in it.
 */
export function fieldsOf(schema: object): string[] {
  return Object.entries((schema as Schema).properties ?? {}).flatMap(([name, field]) => {
    const items = field["~kind"] === "Array" && isOurs(field.items) ? field.items : undefined;
    const inner = items ?? (isOurs(field) ? field : undefined);
    if (!inner) return [name];
    return fieldsOf(inner).map((below) => `${name}${items ? "[]" : ""}.${below}`);
  });
}

function isOurs(schema: Schema | undefined): schema is Schema {
  return schema?.["~kind"] === "Object" && Object.keys(schema.properties ?? {}).length > 0;
}
