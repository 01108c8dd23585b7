import type { ApiObject } from "../../api/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";

/** An object as a store holds it; never changed, only replaced. */
export interface WatchedObject extends ApiObject {
  readonly [field: string]: unknown;
}

/** One change of the store. */
export interface ObjectEvent {
  readonly type: "added" | "modified" | "deleted";
  readonly object: WatchedObject;
}

/** What reconcilers need of a store; `store/mod.ts` has it. */
export interface ObjectStore {
  /** All objects there are as added, then every change until `signal`. Resolves once the first were delivered. */
  watch(
    kinds: readonly string[],
    onEvent: (event: ObjectEvent) => void,
    options: { signal: AbortSignal },
  ): Promise<void>;
  /** Replaces the status. Refused with `conflict` when `resourceVersion` is no longer the stored one. */
  updateStatus(
    key: ObjectKey,
    status: Record<string, unknown>,
    options?: { resourceVersion?: string },
  ): Promise<unknown>;
}

/** The key of an object. */
export function keyOf(object: ApiObject): ObjectKey {
  const { name, namespace = "default" } = object.metadata;
  return { kind: object.kind, namespace, name };
}
