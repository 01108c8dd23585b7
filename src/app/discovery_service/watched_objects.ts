import type { ObjectKey } from "../../base/mod.ts";
import type { StoredObject } from "../../store/mod.ts";
import type { ObjectReader } from "../documents/mod.ts";

/** As much of a store as is watched: whoever may read only there is not to ask for more, and nothing else is served. */
export function watchedObjects(store: ObjectReader, namespaces: readonly string[]): ObjectReader {
  if (namespaces.length === 0) return store;
  return {
    get(key: ObjectKey): Promise<StoredObject | undefined> {
      return namespaces.includes(key.namespace) ? store.get(key) : Promise.resolve(undefined);
    },
    async list(kind, { namespace } = {}) {
      const wanted = namespaces.filter((name) => namespace === undefined || name === namespace);
      const lists = await Promise.all(wanted.map((name) => store.list(kind, { namespace: name })));
      return { items: lists.flatMap(({ items }) => items) };
    },
  };
}
