import type { EarlierSchema } from "./earlier_specs.ts";

/** What an API server with MARIN3R's CRDs makes of a value that was stored under ours: paths, in the order of the value. */
export interface EarlierReading {
  /** Fields that it drops without a word. */
  readonly dropped: readonly string[];
  /** What it does not take: nothing about the object can be written while this is changed. */
  readonly refused: readonly string[];
}

/** Reads a value by a schema that knows less. Of a field that is dropped only its own path is told. */
export function readByEarlier(value: unknown, schema: EarlierSchema, path: string): EarlierReading {
  const reading = { dropped: [] as string[], refused: [] as string[] };
  walk(value, schema, { path, ...reading });
  return reading;
}

interface Walk {
  readonly path: string;
  readonly dropped: string[];
  readonly refused: string[];
}

function walk(value: unknown, schema: EarlierSchema, at: Walk): void {
  if (!fits(value, schema)) return void at.refused.push(at.path);
  const { items, properties, required = [] } = schema;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) if (items) walk(item, items, { ...at, path: `${at.path}[${index}]` });
  } else if (typeof value === "object" && value !== null && properties) {
    for (const [name, field] of Object.entries(value)) {
      const known = properties[name];
      const path = `${at.path}.${name}`;
      if (known) walk(field, known, { ...at, path });
      else at.dropped.push(path);
    }
    for (const name of required) if (!Object.hasOwn(value, name)) at.refused.push(`${at.path}.${name}`);
  }
}

function fits(value: unknown, { type, enum: choices }: EarlierSchema): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type !== undefined && typeof value !== type) return false;
  return choices === undefined || choices.includes(value as string); // one that is not is none of them
}
