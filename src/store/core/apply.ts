import { ChanceryError, formatKey } from "../../base/mod.ts";
import type { ApplyOptions, FieldSet, ManagedFields, StatusOptions, StoredObject } from "../store.ts";
import {
  type FieldPath,
  fieldsOf,
  fromLeaves,
  leavesOf,
  merged,
  overlaps,
  sameAt,
  valueAt,
  without,
} from "./field_set.ts";
import { copyJson, equalJson, freezeJson, isRecord, type JsonRecord } from "./json.ts";
import { statableContent, type Stated } from "./stated.ts";

/** What the store gives to a write. */
export interface Stamp {
  readonly nowMs: number;
  readonly newUid: () => string;
  /** Called only when something is written. */
  readonly nextResourceVersion: () => string;
}

/**
 * Server-side apply as Kubernetes does it (https://kubernetes.io/docs/reference/using-api/server-side-apply/), lists being
 * owned as a whole: merges what is stated, removes what this manager stated before and nobody else owns, and refuses with
 * `conflict` to change what another manager set. Returns `existing` itself when nothing changes.
 */
export function applyStated(
  existing: StoredObject | undefined,
  stated: Stated,
  options: ApplyOptions & { readonly stamp: Stamp },
): StoredObject {
  checkPreconditions(existing, stated, `Cannot apply ${formatKey(stated.key)}`);
  const { fieldManager: manager, subresource, stamp } = options;
  const entries = existing?.metadata.managedFields ?? [];
  const isMine = (e: ManagedFields) =>
    e.manager === manager && e.operation === "Apply" && e.subresource === subresource;
  const mine = entries.find(isMine);
  const wanted = leavesOf(fieldsOf(stated.content));
  const before: JsonRecord = existing ? statableContent(existing) : {};
  const others = withoutTaken(entries.filter((e) => !isMine(e)), { before, wanted, stated, force: options.force });

  let content = before;
  const owned = others.flatMap((entry) => leavesOf(entry.fieldsV1));
  const held = [...wanted, ...owned];
  const leaves = new Set(held.map(pathText));
  // with everything above: a field stays while somebody states it or something in it
  const stays = new Set(held.flatMap((path) => path.map((_, i) => pathText(path.slice(0, i + 1)))));
  for (const path of mine ? leavesOf(mine.fieldsV1) : []) {
    if (!stays.has(pathText(path))) content = without(content, path, (above) => leaves.has(pathText(above)));
  }
  content = merged(content, stated.content) as JsonRecord; // both are records
  const entry = managedEntry(fromLeaves(wanted), {
    manager,
    operation: "Apply",
    apiVersion: stated.apiVersion,
    subresource,
  });
  return finish(existing, { stated, content, managedFields: [...others, entry], stamp });
}

/** Replaces the status of an object, or takes it away. Returns `existing` itself when nothing changes. */
export function replaceStatus(
  existing: StoredObject,
  status: unknown,
  options: StatusOptions & { readonly stamp: Stamp },
): StoredObject {
  const { apiVersion, kind, metadata: { namespace, name } } = existing;
  const key = { kind, namespace, name };
  const { resourceVersion, fieldManager: manager = "chancery", stamp } = options;
  const expected = resourceVersion === undefined ? {} : { resourceVersion };
  checkPreconditions(existing, expected, `Cannot update status of ${formatKey(key)}`);
  const before = statableContent(existing);
  const { status: old, ...content } = before;
  if (status !== undefined) content["status"] = sameOr(old, copyJson(status, "status"));
  const now = content["status"] === undefined ? [] : leavesOf(fieldsOf({ status: content["status"] }));
  const unchanged = (path: FieldPath) => valueAt(content, path) !== undefined && sameAt(before, content, path);
  const entries = existing.metadata.managedFields ?? [];
  const isMine = (e: ManagedFields) => e.manager === manager && e.operation === "Update" && e.subresource === "status";
  const others = entries.filter((e) => !isMine(e)).map((e) =>
    e.subresource === "status" ? onlyLeaves(e, unchanged) : e
  );
  const taken = new Set(
    others.filter((e) => e.subresource === "status").flatMap((e) => leavesOf(e.fieldsV1).map(pathText)),
  );
  const mine = fromLeaves(now.filter((path) => !taken.has(pathText(path))));
  const entry = managedEntry(mine, { manager, operation: "Update", apiVersion, subresource: "status" });
  return finish(existing, { stated: { key, apiVersion }, content, managedFields: [...others, entry], stamp });
}

function sameOr(old: unknown, now: unknown): unknown {
  return equalJson(old, now) ? old : now;
}

function checkPreconditions(
  existing: StoredObject | undefined,
  expected: { readonly resourceVersion?: string; readonly uid?: string },
  doing: string,
): void {
  if (expected.uid !== undefined && expected.uid !== existing?.metadata.uid) {
    throw new ChanceryError("conflict", `${doing}: it is another object of that name, or gone`);
  }
  if (expected.resourceVersion !== undefined && expected.resourceVersion !== existing?.metadata.resourceVersion) {
    throw new ChanceryError("conflict", `${doing}: it was changed meanwhile; read it again`);
  }
}

interface Claim {
  readonly before: JsonRecord;
  readonly wanted: readonly FieldPath[];
  readonly stated: Stated;
  readonly force: boolean | undefined;
}

/** The entries of the others, without the fields that are taken over. Throws `conflict` when they may not be taken. */
function withoutTaken(others: readonly ManagedFields[], claim: Claim): ManagedFields[] {
  const { before, wanted, stated, force } = claim;
  // `{}` only asks that the field be there; members below it may come from several managers
  const isFree = (path: FieldPath) => isRecord(valueAt(stated.content, path)) && isRecord(valueAt(before, path));
  const changed = wanted.filter((path) => !sameAt(before, stated.content, path) && !isFree(path));
  const isTaken = (path: FieldPath) =>
    changed.some((c) => overlaps(c, path) && !(c.length > path.length && isRecord(valueAt(before, path))));
  if (!force) {
    for (const entry of others) {
      const taken = leavesOf(entry.fieldsV1).filter(isTaken).map((path) => `"${path.join(".")}"`);
      if (taken.length === 0) continue;
      const what = `${taken.slice(0, 5).join(", ")} ${taken.length === 1 ? "is" : "are"} set by "${entry.manager}"`;
      throw new ChanceryError("conflict", `Cannot apply ${formatKey(stated.key)}: ${what}`, { retryable: false });
    }
  }
  return others.map((entry) => onlyLeaves(entry, (path) => !isTaken(path)));
}

function onlyLeaves(entry: ManagedFields, keep: (path: FieldPath) => boolean): ManagedFields {
  const leaves = leavesOf(entry.fieldsV1);
  const kept = leaves.filter(keep);
  return kept.length === leaves.length ? entry : { ...entry, fieldsV1: fromLeaves(kept) };
}

function managedEntry(
  fieldsV1: FieldSet,
  who: { manager: string; operation: "Apply" | "Update"; apiVersion: string; subresource: "status" | undefined },
): ManagedFields {
  const { subresource, ...rest } = who;
  return { ...rest, ...(subresource ? { subresource } : {}), fieldsType: "FieldsV1", fieldsV1 };
}

interface Written {
  readonly stated: Pick<Stated, "key" | "apiVersion">;
  readonly content: JsonRecord;
  readonly managedFields: readonly ManagedFields[];
  readonly stamp: Stamp;
}

function finish(existing: StoredObject | undefined, { stated, content, managedFields, stamp }: Written): StoredObject {
  const time = timestamp(stamp.nowMs);
  const old = existing?.metadata.managedFields ?? [];
  const fields = managedFields.filter((entry) => Object.keys(entry.fieldsV1).length > 0).map((entry) => {
    const same = old.find((o) => equalJson({ ...o, time: "" }, { ...entry, time: "" }));
    return same ?? { ...entry, time };
  }).sort((a, b) => placeIn(old, a) - placeIn(old, b));
  const { metadata: statedMetadata = {}, ...rest } = content;
  const before: JsonRecord = existing ? statableContent(existing) : {};
  const sameFields = equalJson(old, fields);
  if (existing && existing.apiVersion === stated.apiVersion && sameFields && equalJson(before, content)) {
    return existing;
  }
  const sameSpec = existing !== undefined && equalJson(specOf(before), specOf(content));
  const { kind, namespace, name } = stated.key;
  return freezeJson({
    apiVersion: stated.apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid: existing?.metadata.uid ?? stamp.newUid(),
      generation: (existing?.metadata.generation ?? 0) + (sameSpec ? 0 : 1),
      resourceVersion: stamp.nextResourceVersion(),
      creationTimestamp: existing?.metadata.creationTimestamp ?? time,
      ...(isRecord(statedMetadata) ? statedMetadata : {}),
      managedFields: fields,
    },
    ...rest,
  });
}

/** Entries keep their place, so that nothing seems to change. */
function placeIn(old: readonly ManagedFields[], entry: ManagedFields): number {
  const who = ({ manager, operation, subresource }: ManagedFields) => JSON.stringify([manager, operation, subresource]);
  const at = old.findIndex((o) => who(o) === who(entry));
  return at === -1 ? old.length : at;
}

/** Everything but metadata and status: a change of it is a new generation. */
function specOf({ metadata: _metadata, status: _status, ...spec }: JsonRecord): JsonRecord {
  return spec;
}

function pathText(path: FieldPath): string {
  return JSON.stringify(path);
}

/** RFC 3339 in whole seconds, as in Kubernetes. */
export function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
}
