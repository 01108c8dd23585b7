import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "./object_source.ts";
import { isOlderVersion } from "./versions.ts";

/** So many deletions are remembered: by far more than there can be since a write began whose answer is still on its way. */
const REMEMBERED = 1_000;

/**
 * The objects as a watch tells them, and ahead of it what we wrote ourselves: a plan that is made right after a write must not
 * be made from what was there before.
 */
export class LiveCache {
  readonly #places = new Map<string, Map<string, WatchedObject>>(); // by kind and namespace, then by name
  readonly #written = new Map<string, string>(); // versions that the watch has not reached yet
  readonly #gone = new Map<string, string>(); // versions at which objects were deleted, the oldest first

  /** Takes a change in, unless what we know is newer. */
  take({ type, object }: ObjectEvent): void {
    const key = keyOf(object);
    const id = formatKey(key);
    const written = this.#written.get(id);
    if (isOlderVersion(object.metadata.resourceVersion, written)) return;
    this.#written.delete(id);
    if (type === "deleted") {
      this.#drop(key);
      this.#remember(id, object.metadata.resourceVersion);
    } else this.#put(key, object);
  }

  /** What a write gave. */
  wrote(object: WatchedObject): void {
    const key = keyOf(object);
    const { resourceVersion } = object.metadata;
    if (!isOlderVersion(this.get(key)?.metadata.resourceVersion, resourceVersion) && this.get(key)) return;
    // The answer to a write may come after the news that what was written is gone; no other news would come of it.
    if (isOlderVersion(resourceVersion, this.#gone.get(formatKey(key)))) return;
    if (resourceVersion !== undefined) this.#written.set(formatKey(key), resourceVersion);
    this.#put(key, object);
  }

  get({ kind, namespace, name }: ObjectKey): WatchedObject | undefined {
    return this.#places.get(placeOf(kind, namespace))?.get(name);
  }

  /** All of a kind in a namespace. */
  all(kind: string, namespace: string): WatchedObject[] {
    return [...this.#places.get(placeOf(kind, namespace))?.values() ?? []];
  }

  /** All of a kind, wherever they are. */
  *every(kind: string): Generator<WatchedObject> {
    for (const [place, objects] of this.#places) {
      if (place.startsWith(`${kind}/`)) yield* objects.values();
    }
  }

  #remember(id: string, version: string | undefined): void {
    this.#gone.delete(id);
    if (version !== undefined) this.#gone.set(id, version);
    const [oldest] = this.#gone.keys();
    if (this.#gone.size > REMEMBERED && oldest !== undefined) this.#gone.delete(oldest);
  }

  #put({ kind, namespace, name }: ObjectKey, object: WatchedObject): void {
    const place = placeOf(kind, namespace);
    const objects = this.#places.get(place);
    if (objects) objects.set(name, object);
    else this.#places.set(place, new Map([[name, object]]));
  }

  #drop({ kind, namespace, name }: ObjectKey): void {
    const place = placeOf(kind, namespace);
    const objects = this.#places.get(place);
    if (objects?.delete(name) && objects.size === 0) this.#places.delete(place);
  }
}

function placeOf(kind: string, namespace: string): string {
  return `${kind}/${namespace}`;
}
