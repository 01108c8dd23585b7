import { formatKey } from "../../../base/mod.ts";
import { keyOf } from "../../core/state.ts";
import type { StoredObject, WatchEvent } from "../../store.ts";

/**
 * What a watch has told so far. Whether told again by a new list or by a change, only what differs from it is an event; what
 * a complete list does not name any more is a deletion.
 */
export class ObjectCache {
  readonly #objects = new Map<string, StoredObject>();
  #listed: Set<string> | undefined;

  get size(): number {
    return this.#objects.size;
  }

  get(key: string): StoredObject | undefined {
    return this.#objects.get(key);
  }

  values(): Iterable<StoredObject> {
    return this.#objects.values();
  }

  /** A list begins: what it does not name until {@linkcode endList} is gone. An earlier list that broke off counts for nothing. */
  beginList(): void {
    this.#listed = new Set();
  }

  /**
   * The list is complete. What it does not name is gone, at `version`, that of the list, at the latest: whoever has written it since
   * it was told must not take the news for older than that.
   */
  endList(version: string): WatchEvent[] {
    const listed = this.#listed;
    this.#listed = undefined;
    if (!listed) return [];
    const gone = [...this.#objects].filter(([key]) => !listed.has(key));
    for (const [key] of gone) this.#objects.delete(key);
    return gone.map(([, object]) => ({
      type: "deleted" as const,
      object: { ...object, metadata: { ...object.metadata, resourceVersion: version } },
    }));
  }

  /** The object is there like this. */
  put(object: StoredObject): WatchEvent[] {
    const key = formatKey(keyOf(object));
    this.#listed?.add(key);
    const before = this.#objects.get(key);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return [];
    this.#objects.set(key, object);
    if (!before) return [{ type: "added", object }];
    if (before.metadata.uid === object.metadata.uid) return [{ type: "modified", object }];
    // removed and made anew while nobody looked
    return [{ type: "deleted", object: before }, { type: "added", object }];
  }

  /** The object is gone; `last` is how it was. */
  drop(last: StoredObject): WatchEvent[] {
    const key = formatKey(keyOf(last));
    this.#listed?.delete(key);
    return this.#objects.delete(key) ? [{ type: "deleted", object: last }] : [];
  }
}
