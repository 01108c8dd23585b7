import type { WatchedObject } from "./object_source.ts";

/**
 * Objects that want the same, the one that has it first (W3): the oldest, and of equally old ones that with the smaller uid, then name;
 * the same on every replica. One that is being deleted does not count.
 */
export function byAge<T extends { readonly object: Pick<WatchedObject, "metadata"> }>(objects: readonly T[]): T[] {
  return objects.filter(({ object }) => object.metadata.deletionTimestamp === undefined).sort((a, b) => {
    const [one, other] = [a.object.metadata, b.object.metadata];
    return ageOf(one.creationTimestamp) - ageOf(other.creationTimestamp) ||
      compare(one.uid ?? "", other.uid ?? "") ||
      compare(`${one.namespace}/${one.name}`, `${other.namespace}/${other.name}`);
  });
}

/** An object without a time is not older than one that has it. */
function ageOf(creationTimestamp: string | undefined): number {
  const time = Date.parse(creationTimestamp ?? "");
  return Number.isNaN(time) ? Number.MAX_SAFE_INTEGER : time;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
