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
 * Takes the field at the path out of `target`, and what holds it when that is left without members. A field that meanwhile
 * holds members of others stays.
 */
export function removeAt(target: JsonRecord, path: FieldPath): void {
  const [head, ...rest] = path;
  if (head === undefined || !Object.hasOwn(target, head)) return;
  const member = target[head];
  if (rest.length === 0) {
    if (!isRecord(member) || Object.keys(member).length === 0) delete target[head];
    return;
  }
  if (!isRecord(member)) return;
  removeAt(member, rest);
  if (Object.keys(member).length === 0) delete target[head];
}

/** Puts everything that `stated` says into `target`; members of records are merged, all else replaced. */
export function mergeInto(target: JsonRecord, stated: JsonRecord): void {
  for (const [key, value] of Object.entries(stated)) {
    const before = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isRecord(value) && isRecord(before)) mergeInto(before, value);
    else setMember(target, key, value);
  }
}
