import type { StoredObject } from "../store.ts";
import { freezeJson } from "./json.ts";
import { keyOf, type State } from "./state.ts";

/** Takes an object out; its last content carries the resource version of the deletion, as in Kubernetes. */
export function removeObject(state: State, object: StoredObject, resourceVersion: string): void {
  state.delete(freezeJson({ ...object, metadata: { ...object.metadata, resourceVersion } }));
}

/**
 * Removes the objects whose owners are all gone, and then what those owned. Only objects written or orphaned in this
 * transaction can have become so; it runs at its end, for an owner may be stated after what it owns.
 */
export function collectOrphans(
  state: State,
  suspects: readonly StoredObject[],
  nextResourceVersion: () => string,
): void {
  const queue = [...suspects];
  for (let suspect = queue.shift(); suspect; suspect = queue.shift()) {
    const object = state.get(keyOf(suspect));
    const owners = object?.metadata.ownerReferences ?? [];
    if (!object || owners.length === 0 || owners.some(({ uid }) => state.hasUid(uid))) continue;
    removeObject(state, object, nextResourceVersion());
    queue.push(...state.dependentsOf(object.metadata.uid));
  }
}
