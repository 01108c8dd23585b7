import { ChanceryError } from "../../base/mod.ts";

/** A plain object of JSON members. */
export type JsonRecord = { [key: string]: unknown };

const MAX_DEPTH = 256;

/** Whether the value is an object with members (no array, no null). */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A deep copy that is nothing but JSON: members that are `undefined` are left out; anything else that JSON does not know
 * is refused as `invalid-input`, naming the path but not the value.
 */
export function copyJson(value: unknown, path = ""): unknown {
  return copy(value, path, 0);
}

function copy(value: unknown, path: string, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || depth > MAX_DEPTH) {
    const why = depth > MAX_DEPTH ? "nested too deep" : "not a JSON value";
    throw new ChanceryError("invalid-input", `Cannot store field "${path}": ${why}`);
  }
  if (Array.isArray(value)) return value.map((item, index) => copy(item, `${path}[${index}]`, depth + 1));
  const out: JsonRecord = {};
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) setMember(out, key, copy(member, path === "" ? key : `${path}.${key}`, depth + 1));
  }
  return out;
}

/** Sets a member, whatever its name (`__proto__` too). */
export function setMember(record: JsonRecord, key: string, value: unknown): void {
  Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Whether two JSON values are the same, whatever the order of their members. */
export function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => equalJson(item, b[i]));
  if (!isRecord(a) || !isRecord(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]));
}

/** Freezes a JSON value all the way down, stopping at what is frozen already. */
export function freezeJson<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freezeJson(member);
  return Object.freeze(value);
}
