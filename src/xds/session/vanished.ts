import type { Resource, Snapshot } from "../../snapshot/mod.ts";
import { snapshotOf } from "../../snapshot/mod.ts";
import { resourceTypeOf } from "../../envoy/mod.ts";

const known = new WeakMap<Snapshot, { readonly next: WeakRef<Snapshot>; readonly vanished: Snapshot | undefined }>();

/**
 * What a snapshot had and the next one has not, for types that are asked for by name. While a client still works with the
 * earlier clusters and listeners it may ask for what these need: routes of a listener that is about to go, endpoints of a
 * cluster that stays for a while.
 */
export function vanished(before: Snapshot, next: Snapshot): Snapshot | undefined {
  const memory = known.get(before);
  if (memory?.next.deref() === next) return memory.vanished;
  const gone: Resource[] = [];
  for (const [typeUrl, type] of before.types) {
    if (resourceTypeOf(typeUrl)?.fullState || type === next.types.get(typeUrl)) continue;
    for (const [name, resource] of type.resources) {
      if (!next.types.get(typeUrl)?.resources.has(name)) gone.push(resource);
    }
  }
  const result = gone.length === 0 ? undefined : snapshotOf(gone);
  known.set(before, { next: new WeakRef(next), vanished: result });
  return result;
}
