import type { FieldSet } from "../../store/mod.ts";
import { appliedFields } from "./applied_fields.ts";
import type { StatedObject, WatchedObject } from "./object_source.ts";
import { sameQuantity } from "./quantity.ts";

/** Fields that are quantities, or whose members are; they may be written in several ways. */
const AMOUNTS: ReadonlySet<string> = new Set(["requests", "limits", "target", "sizeLimit"]);
/** Fields that say which object it is, and nothing about it. */
const IDENTITY: ReadonlySet<string> = new Set(["apiVersion", "kind"]);
const NAME: ReadonlySet<string> = new Set(["name", "namespace", "uid", "resourceVersion"]);

/**
 * Whether a server-side apply would change anything: a stated value differs, a stated field is not ours (somebody else has set or
 * removed it), or we own a field that is not stated any more. What others added beside it does not matter (C8).
 */
export function needsApply(
  stated: StatedObject,
  live: WatchedObject | undefined,
  { fieldManager }: { readonly fieldManager: string },
): boolean {
  if (!live) return true;
  const ours = appliedFields(live, { fieldManager });
  if (!ours) return true;
  const { metadata, ...content } = stated;
  const { "f:metadata": ownedMetadata = {}, ...owned } = ours;
  return !sameMembers(without(metadata, NAME), live.metadata, ownedMetadata) ||
    !sameMembers(without(content, IDENTITY), live, owned);
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a stated value is what is there, and exactly its fields are ours. */
function settled(
  stated: unknown,
  live: unknown,
  { owned, name }: { owned: FieldSet | undefined; name: string },
): boolean {
  if (owned === undefined) return false;
  if (isLeaf(owned)) return holds(live, stated, name);
  if (Array.isArray(stated)) return Array.isArray(live) && sameItems(stated, live, owned);
  return isObject(stated) && isObject(live) && sameMembers(stated, live, owned, name);
}

function sameMembers(stated: JsonObject, live: JsonObject, owned: FieldSet, of = ""): boolean {
  const members = Object.entries(stated).filter(([, value]) => value !== undefined);
  const names = new Set(members.map(([name]) => `f:${name}`));
  return Object.keys(owned).every((field) => !field.startsWith("f:") || names.has(field)) &&
    members.every(([name, value]) =>
      settled(value, live[name], { owned: owned[`f:${name}`], name: AMOUNTS.has(of) ? of : name })
    );
}

/** Lists whose items are known by a key, or by their value; others are leaves. */
function sameItems(stated: readonly unknown[], live: readonly unknown[], owned: FieldSet): boolean {
  const items = Object.entries(owned).filter(([field]) => /^[kv]:/.test(field));
  return items.length === stated.length && items.every(([field, below]) => {
    const name: unknown = JSON.parse(field.slice(2));
    if (field.startsWith("v:")) return stated.includes(name) && live.includes(name);
    const item = stated.find((one) => hasKey(one, name, { mayLack: true }));
    return item !== undefined && settled(item, live.find((one) => hasKey(one, name)), { owned: below, name: "" });
  });
}

/** Part of a key may be a default that is not stated, as the protocol of a port. */
function hasKey(item: unknown, key: unknown, { mayLack = false } = {}): boolean {
  if (!isObject(item) || !isObject(key)) return false;
  return Object.entries(key).every(([name, value]) => item[name] === value || (mayLack && item[name] === undefined));
}

/** Whether a value is in a live one, which may have more members: the defaults of the API server. */
export function holds(live: unknown, stated: unknown, of = ""): boolean {
  if (live === undefined && isZero(stated)) return true;
  if (Array.isArray(stated)) {
    return Array.isArray(live) && live.length === stated.length && stated.every((item, at) => holds(live[at], item));
  }
  if (isObject(stated)) {
    return isObject(live) &&
      Object.entries(stated).every(([name, value]) =>
        value === undefined || holds(live[name], value, AMOUNTS.has(of) ? of : name)
      );
  }
  return live === stated || (AMOUNTS.has(of) && sameQuantity(live, stated));
}

/** What an API server need not keep of a field, for it is the same without it: of the delay of a probe, 0. */
function isZero(stated: unknown): boolean {
  return stated === 0 || stated === "" || stated === false || (Array.isArray(stated) && stated.length === 0);
}

function isLeaf(owned: FieldSet): boolean {
  return Object.keys(owned).every((field) => field === ".");
}

function without(value: JsonObject, names: ReadonlySet<string>): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.has(name)));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
