import { ChanceryError, formatPath, type PathSegment } from "../../base/mod.ts";

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
export function copyJson(value: unknown, at?: string): unknown {
  return copy(value, at === undefined ? [] : [at]);
}

function copy(value: unknown, path: PathSegment[]): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number" && Number.isFinite(value)) return value;
  if (typeof value !== "object" || path.length > MAX_DEPTH) {
    const why = path.length > MAX_DEPTH ? "nested too deep" : "not a JSON value";
    throw new ChanceryError("invalid-input", `Cannot store field "${formatPath(path.slice(0, 20))}": ${why}`);
  }
  const depth = path.length;
  if (Array.isArray(value)) {
    const items = value.map((item, index) => {
      path[depth] = index;
      return copy(item, path);
    });
    path.length = depth;
    return items;
  }
  const out: JsonRecord = {};
  for (const key of Object.keys(value)) {
    const member = (value as JsonRecord)[key]; // an object that is no array has members
    if (member === undefined) continue;
    path[depth] = key;
    setMember(out, key, copy(member, path));
  }
  path.length = depth;
  return out;
}

/** Sets a member, whatever its name. */
export function setMember(record: JsonRecord, key: string, value: unknown): void {
  // defining is many times slower than assigning, which would do something else for this one name
  if (key === "__proto__") {
    Object.defineProperty(record, key, { value, enumerable: true, configurable: true, writable: true });
  } else record[key] = value;
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
