import type { ApiObject, OwnerReference } from "../../api/mod.ts";
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
  ): Promise<WatchedObject>;
  /** Server-side apply: creates, or merges what is stated. */
  apply(
    object: StatedObject,
    options: { fieldManager: string; force?: boolean; subresource?: "status" },
  ): Promise<WatchedObject>;
  /** Whether there was such an object. Refused with `conflict` when it is another one, or another version, by now. */
  remove(key: ObjectKey, options?: { uid?: string; resourceVersion?: string }): Promise<boolean>;
  /** Takes a finalizer off; absent where objects have none. */
  removeFinalizer?(key: ObjectKey, finalizer: string): Promise<void>;
  /**
   * Has the content of these Secrets kept for `owner` from now on, in place of what it needed before; resolves when what there
   * is of them was told to the watchers. Absent where the content of every Secret is told.
   */
  need?(owner: string, keys: readonly ObjectKey[]): Promise<void>;
  /** Best effort. */
  record(event: ConfigEvent): Promise<void>;
}

/** An object as far as it is stated. */
export interface StatedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly [field: string]: unknown;
}

/** Something that happened to an object, for people. */
export interface ConfigEvent {
  readonly about: ObjectKey;
  readonly type: "Normal" | "Warning";
  readonly reason:
    | "Published"
    | "RolledBack"
    | "RollbackFailed"
    | "Recovered"
    | "Rejected"
    | "Accepted"
    | "Conflict"
    | "ConflictEnded"
    | "InvalidSpec";
  readonly message: string;
}

/** The key of an object. */
export function keyOf(object: ApiObject): ObjectKey {
  const { name, namespace = "default" } = object.metadata;
  return { kind: object.kind, namespace, name };
}
