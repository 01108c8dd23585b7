import { type Finding, type PathSegment, suggest } from "../base/mod.ts";

/** The part of JSON Schema that our schemas use, as the walker sees it. */
interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly writeOnly?: boolean;
  readonly "x-kubernetes-int-or-string"?: boolean;
  readonly "x-kubernetes-preserve-unknown-fields"?: boolean;
}

/** At most this many findings per object: a file of another kind of thing should not print a book. */
const MAX_FINDINGS = 100;

/**
 * Compares a value with one of our schemas and tells everything that does not fit, each with its path. As in Kubernetes a
 * `null` in an optional field counts as absent. Unknown fields are errors with a suggestion, or, where the schema is open
 * because we read only a part of the object, warnings when a known field is near.
 */
export function checkSchema(schema: unknown, value: unknown, path: readonly PathSegment[] = []): Finding[] {
  const findings: Finding[] = [];
  walk(schema as Schema, value, { path, findings }); // TypeBox values are JSON Schema documents
  return findings;
}

interface Place {
  readonly path: readonly PathSegment[];
  readonly findings: Finding[];
}

function walk(schema: Schema, value: unknown, place: Place): void {
  if (place.findings.length >= MAX_FINDINGS) return;
  if (schema["x-kubernetes-int-or-string"]) {
    if (typeof value !== "string" && !Number.isInteger(value)) wrongType(schema, value, place);
    return;
  }
  if (schema.type !== undefined && !hasType(schema.type, value)) return wrongType(schema, value, place);
  if (schema.enum) return checkEnum(schema, value, place);
  if (typeof value === "string") return checkString(schema, value, place);
  if (typeof value === "number") return checkNumber(schema, value, place);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(schema.items ?? {}, item, step(place, index));
  } else if (isRecord(value)) checkFields(schema, value, place);
}

function checkFields(schema: Schema, value: Readonly<Record<string, unknown>>, place: Place): void {
  if (schema["x-kubernetes-preserve-unknown-fields"]) return;
  const { properties = {}, additionalProperties } = schema;
  const open = additionalProperties === true || (!schema.properties && additionalProperties === undefined);
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known) {
      if (field === null && !schema.required?.includes(name)) continue;
      walk(known, field, step(place, name));
    } else if (typeof additionalProperties === "object") {
      if (field !== null) walk(additionalProperties, field, step(place, name));
    } else {
      const near = suggest(name, Object.keys(properties).filter((other) => !Object.hasOwn(value, other)));
      if (open && near === undefined) continue;
      add(step(place, name), {
        severity: open ? "warning" : "error",
        message: `unknown field ${JSON.stringify(name)}`,
        rule: "unknown-field",
        ...(near === undefined ? {} : { suggestion: near }),
      });
    }
  }
  for (const name of schema.required ?? []) {
    if (value[name] === undefined) {
      add(place, { severity: "error", message: `${name} must be set`, rule: "required" });
    }
  }
}

function checkEnum(schema: Schema, value: unknown, place: Place): void {
  const options = schema.enum ?? [];
  if (options.includes(value)) return;
  const near = typeof value === "string" ? suggest(value, options.map(String)) : undefined;
  add(place, {
    severity: "error",
    message: `must be one of ${options.map((option) => JSON.stringify(option)).join(", ")}`,
    rule: "enum",
    ...shown(schema, value),
    ...(near === undefined ? {} : { suggestion: near }),
  });
}

function checkString(schema: Schema, value: string, place: Place): void {
  if (schema.minLength !== undefined && value.length < schema.minLength) {
    const message = schema.minLength === 1 ? "must not be empty" : `must have at least ${schema.minLength} characters`;
    add(place, { severity: "error", message, rule: "min-length" });
  }
  if (schema.maxLength !== undefined && value.length > schema.maxLength) {
    add(place, { severity: "error", message: `must have at most ${schema.maxLength} characters`, rule: "max-length" });
  }
}

function checkNumber(schema: Schema, value: number, place: Place): void {
  if (schema.minimum !== undefined && value < schema.minimum) {
    add(place, {
      severity: "error",
      message: `must be at least ${schema.minimum}`,
      rule: "min",
      ...shown(schema, value),
    });
  }
  if (schema.maximum !== undefined && value > schema.maximum) {
    add(place, {
      severity: "error",
      message: `must be at most ${schema.maximum}`,
      rule: "max",
      ...shown(schema, value),
    });
  }
}

function wrongType(schema: Schema, value: unknown, place: Place): void {
  const wanted = schema["x-kubernetes-int-or-string"] ? "a string or an integer" : article(schema.type ?? "value");
  add(place, {
    severity: "error",
    message: `must be ${wanted}, not ${article(typeOf(value))}`,
    rule: "type",
    ...shown(schema, value),
  });
}

function add(place: Place, finding: Omit<Finding, "path">): void {
  place.findings.push({ path: place.path, ...finding });
}

function step(place: Place, segment: PathSegment): Place {
  return { path: [...place.path, segment], findings: place.findings };
}

function shown(schema: Schema, value: unknown): { value?: string } {
  if (schema.writeOnly || value === null || typeof value === "object") return {};
  const text = JSON.stringify(value) ?? String(value);
  return { value: text.length > 60 ? `${text.slice(0, 57)}…` : text };
}

function hasType(type: string, value: unknown): boolean {
  const nameOfType: string = typeof value;
  switch (type) {
    case "object":
      return isRecord(value);
    case "array":
      return Array.isArray(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return nameOfType === type;
  }
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value;
}

function article(type: string): string {
  if (type === "null") return type;
  return /^[aio]/.test(type) ? `an ${type}` : `a ${type}`;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
