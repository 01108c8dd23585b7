import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { StoredObject, WatchEvent } from "../store.ts";

/** The key of a stored object. */
export function keyOf(object: StoredObject): ObjectKey {
  return { kind: object.kind, namespace: object.metadata.namespace, name: object.metadata.name };
}

/** All objects in memory, with a way back to where a transaction began. */
export class State {
  readonly #kinds = new Map<string, Map<string, StoredObject>>();
  readonly #byUid = new Map<string, StoredObject>();
  /** Owner uid → keys of the objects that name it. */
  readonly #dependents = new Map<string, Map<string, ObjectKey>>();
  #undo: { key: ObjectKey; before: StoredObject | undefined }[] | undefined;
  #events: WatchEvent[] = [];

  get(key: ObjectKey): StoredObject | undefined {
    return this.#kinds.get(key.kind)?.get(formatKey(key));
  }

  /** All of a kind, sorted by namespace and name. */
  ofKind(kind: string): StoredObject[] {
    const order = (o: StoredObject) => `${o.metadata.namespace}/${o.metadata.name}`;
    return [...this.#kinds.get(kind)?.values() ?? []].map((object) => ({ object, at: order(object) }))
      .sort((a, b) => a.at < b.at ? -1 : 1).map(({ object }) => object);
  }

  hasUid(uid: string): boolean {
    return this.#byUid.has(uid);
  }

  /** Objects that name this uid as an owner. */
  dependentsOf(uid: string): StoredObject[] {
    return [...this.#dependents.get(uid)?.values() ?? []].map((key) => this.get(key)).filter((o) => o !== undefined);
  }

  put(object: StoredObject): void {
    const key = keyOf(object);
    const before = this.get(key);
    this.#undo?.push({ key, before });
    this.#events.push({ type: before ? "modified" : "added", object });
    this.#set(key, object);
  }

  /** `last` is what watches are told: the object with the resource version of its deletion. */
  delete(last: StoredObject): void {
    const key = keyOf(last);
    this.#undo?.push({ key, before: this.get(key) });
    this.#events.push({ type: "deleted", object: last });
    this.#set(key, undefined);
  }

  /** Puts in what was read from disk: no event, no way back. */
  load(object: StoredObject): void {
    this.#set(keyOf(object), object);
  }

  begin(): void {
    this.#undo = [];
    this.#events = [];
  }

  /** Keys written since {@linkcode begin}, each once. */
  touched(): ObjectKey[] {
    return [...new Map((this.#undo ?? []).map(({ key }) => [formatKey(key), key])).values()];
  }

  /** Ends the transaction; what it did, in order. */
  commit(): WatchEvent[] {
    this.#undo = undefined;
    return this.#events.splice(0);
  }

  rollback(): void {
    for (const { key, before } of (this.#undo ?? []).reverse()) this.#set(key, before);
    this.#undo = undefined;
    this.#events = [];
  }

  #set(key: ObjectKey, object: StoredObject | undefined): void {
    const text = formatKey(key);
    const before = this.get(key);
    if (before) {
      this.#byUid.delete(before.metadata.uid);
      for (const { uid } of before.metadata.ownerReferences ?? []) {
        const dependents = this.#dependents.get(uid);
        dependents?.delete(text);
        if (dependents?.size === 0) this.#dependents.delete(uid);
      }
      this.#kinds.get(key.kind)?.delete(text);
    }
    if (!object) return;
    const kind = this.#kinds.get(key.kind) ?? new Map<string, StoredObject>();
    this.#kinds.set(key.kind, kind.set(text, object));
    this.#byUid.set(object.metadata.uid, object);
    for (const { uid } of object.metadata.ownerReferences ?? []) {
      this.#dependents.set(uid, (this.#dependents.get(uid) ?? new Map<string, ObjectKey>()).set(text, key));
    }
  }
}
