import type { ApiObject, OwnerReference } from "../../api/mod.ts";
import { formatKey, type ObjectKey } from "../../base/mod.ts";
import { keyOf, type StatedObject, type WatchedObject } from "./object_source.ts";
import type { PlannedRemoval } from "./planned.ts";

/** The reference by which an object goes with the object that it was made for. */
export function controllerReference(owner: ApiObject): OwnerReference {
  const { name, uid = "" } = owner.metadata;
  return {
    ...{ apiVersion: owner.apiVersion, kind: owner.kind, name, uid },
    ...{ controller: true, blockOwnerDeletion: true },
  };
}

/** Who controls an object, if anybody does. */
export function controllerOf(
  { metadata: { ownerReferences = [] } }: { readonly metadata: Pick<ApiObject["metadata"], "ownerReferences"> },
): OwnerReference | undefined {
  return ownerReferences.find(({ controller }) => controller);
}

/** Whether an object is controlled by another; the version of the reference does not matter. */
export function isControlledBy(object: Pick<ApiObject, "metadata">, owner: ApiObject): boolean {
  const controller = controllerOf(object);
  return controller !== undefined && controller.uid === owner.metadata.uid && controller.kind === owner.kind;
}

/**
 * Whether an object was made for its owner: by its controller, or, where that reference was lost, by the labels that everything
 * made for it carries (C19). Whatever else has the same name belongs to somebody else (C9).
 */
export function isMadeFor(
  object: Pick<ApiObject, "metadata">,
  { owner, labels }: { owner: ApiObject; labels: Readonly<Record<string, string>> },
): boolean {
  if (controllerOf(object)) return isControlledBy(object, owner);
  const found = object.metadata.labels ?? {};
  return Object.entries(labels).every(([name, value]) => found[name] === value);
}

/** The objects there are, by key; namespaces left out are the default one. */
export class LiveObjects {
  readonly #byKey: ReadonlyMap<string, WatchedObject>;

  constructor(objects: readonly WatchedObject[]) {
    this.#byKey = new Map(objects.map((object) => [formatKey(keyOf(object)), object]));
  }

  get(key: ObjectKey): WatchedObject | undefined {
    return this.#byKey.get(formatKey(key));
  }

  /** The object that stands where a stated one goes. */
  at(stated: StatedObject): WatchedObject | undefined {
    return this.get(keyOf(stated));
  }

  /** All of one kind. */
  ofKind(kind: string): WatchedObject[] {
    return [...this.#byKey.values()].filter((object) => object.kind === kind);
  }
}

/** An object that is to go, as it was seen. */
export function removalOf(object: WatchedObject): PlannedRemoval {
  return { key: keyOf(object), uid: object.metadata.uid ?? "" };
}
