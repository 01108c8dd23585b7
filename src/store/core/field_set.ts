import type { FieldSet } from "../store.ts";
import { equalJson, isRecord, type JsonRecord, setMember } from "./json.ts";

/** A path of member names; lists are leaves, as Kubernetes treats lists of CRDs unless told otherwise. */
export type FieldPath = readonly string[];

/** The fields that a value states. */
export function fieldsOf(value: JsonRecord): FieldSet {
  const out: JsonRecord = {};
  for (const [key, member] of Object.entries(value)) {
    setMember(out, `f:${key}`, isRecord(member) ? fieldsOf(member) : {});
  }
  return out as FieldSet; // built of nothing but nested sets
}

/** Whether the set names one field and nothing below. */
export function isLeaf(set: FieldSet): boolean {
  return Object.keys(set).length === 0;
}

/** The paths of all leaves. */
export function leavesOf(set: FieldSet, at: FieldPath = []): FieldPath[] {
  return Object.entries(set).flatMap(([key, below]) => {
    const path = [...at, key.replace(/^f:/, "")];
    return isLeaf(below) ? [path] : leavesOf(below, path);
  });
}

/** A set of the given leaves. */
export function fromLeaves(paths: readonly FieldPath[]): FieldSet {
  const out: JsonRecord = {};
  for (const path of paths) {
    let at = out;
    for (const segment of path) {
      const key = `f:${segment}`;
      const below = Object.hasOwn(at, key) ? at[key] : undefined;
      if (!isRecord(below)) setMember(at, key, {});
      at = at[key] as JsonRecord; // set one line above
    }
  }
  return out as FieldSet; // built of nothing but nested sets
}

/** Whether one path is the other, or lies in it. */
export function overlaps(a: FieldPath, b: FieldPath): boolean {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/** The value at a path, `undefined` when there is none. */
export function valueAt(value: unknown, path: FieldPath): unknown {
  let at = value;
  for (const segment of path) {
    if (!isRecord(at) || !Object.hasOwn(at, segment)) return undefined;
    at = at[segment];
  }
  return at;
}

/** Whether both values hold the same at the path. */
export function sameAt(a: unknown, b: unknown, path: FieldPath): boolean {
  return equalJson(valueAt(a, path), valueAt(b, path));
}

/**
 * `target` without the field at the path, and without what held it when that is left without members, unless `isHeld` says
 * that somebody states it by itself. A field that meanwhile holds members of others stays.
 */
export function without(target: JsonRecord, path: FieldPath, isHeld: (path: FieldPath) => boolean): JsonRecord {
  return withoutAt(target, path, { depth: 0, isHeld });
}

function withoutAt(
  target: JsonRecord,
  path: FieldPath,
  { depth, isHeld }: { depth: number; isHeld: (path: FieldPath) => boolean },
): JsonRecord {
  const head = path[depth];
  if (head === undefined || !Object.hasOwn(target, head)) return target;
  const member = target[head];
  const isLast = depth === path.length - 1;
  if (isLast && isRecord(member) && Object.keys(member).length > 0) return target;
  if (!isLast && !isRecord(member)) return target;
  const left = isLast || !isRecord(member) ? {} : withoutAt(member, path, { depth: depth + 1, isHeld });
  if (left === member) return target;
  const out = { ...target };
  if (Object.keys(left).length > 0 || (!isLast && isHeld(path.slice(0, depth + 1)))) setMember(out, head, left);
  else delete out[head];
  return out;
}

/**
 * `before` with everything that `stated` says: members of records are merged, all else is replaced. Parts that are the same
 * are shared with `before`, so that comparing the two is cheap.
 */
export function merged(before: unknown, stated: unknown): unknown {
  if (!isRecord(before) || !isRecord(stated)) return equalJson(before, stated) ? before : stated;
  let out: JsonRecord | undefined;
  for (const [key, value] of Object.entries(stated)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    const now = merged(old, value);
    if (now === old) continue;
    out ??= { ...before };
    setMember(out, key, now);
  }
  return out ?? before;
}
