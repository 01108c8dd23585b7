import type { ObjectKey } from "../base/mod.ts";
import type { LabelSelector } from "./core/selector.ts";

/** Names an owner; when all owners of an object are gone, the object goes too. */
export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Kubernetes' FieldsV1: `{"f:spec": {"f:nodeID": {}}}`. A member without members is a leaf; lists are leaves as a whole. */
export interface FieldSet {
  readonly [field: string]: FieldSet;
}

/** Who set which fields. */
export interface ManagedFields {
  readonly manager: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly subresource?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: FieldSet;
}

/** What the store knows of an object besides its content. */
export interface ObjectMeta {
  readonly name: string;
  /** Empty for cluster-scoped objects. */
  readonly namespace: string;
  readonly uid: string;
  /** Counts changes of anything but metadata and status, from 1. */
  readonly generation: number;
  /** Changes with each write; only equality means something. */
  readonly resourceVersion: string;
  /** RFC 3339, UTC, whole seconds. */
  readonly creationTimestamp: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly managedFields?: readonly ManagedFields[];
}

/** An object as it stands in the store. Frozen all the way down: copy before changing. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

/** What a client states about an object: only the fields it wants to own. */
export interface ApplyObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    /** Absent or empty for cluster-scoped objects. */
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerReference[];
    /** When given, the write fails with `conflict` unless the stored object has it. */
    readonly resourceVersion?: string;
    /** When given, the write fails with `conflict` unless the stored object has it. */
    readonly uid?: string;
  };
  readonly [field: string]: unknown;
}

/** Options of {@linkcode Store.apply}. */
export interface ApplyOptions {
  /** Fields that this manager stated before and does not state now are removed. */
  readonly fieldManager: string;
  /** Take over fields that another manager set to another value, instead of failing with `conflict`. */
  readonly force?: boolean;
  /** Apply to the status; everything else in the object is left out. Without it the status is left out. */
  readonly subresource?: "status";
}

/** Options of {@linkcode Store.updateStatus}. */
export interface StatusOptions {
  /** When given, the write fails with `conflict` unless the stored object has it. */
  readonly resourceVersion?: string;
  /** Who is named in managedFields; `chancery` when absent. */
  readonly fieldManager?: string;
}

/** Options of {@linkcode Store.remove}: what must hold for the object to be removed, else `conflict`. */
export interface RemoveOptions {
  readonly resourceVersion?: string;
  readonly uid?: string;
}

/** Options of {@linkcode Store.list}. */
export interface ListQuery {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labels?: LabelSelector;
}

/** One change of one object; of a deleted one the last content. */
export interface WatchEvent {
  readonly type: "added" | "modified" | "deleted";
  readonly object: StoredObject;
}

/** Something that happened to an object, for people. Must not hold secret bytes. */
export interface StoreEvent {
  readonly about: ObjectKey;
  readonly type: "Normal" | "Warning";
  /** One word in CamelCase. */
  readonly reason: string;
  readonly message: string;
}

/**
 * Where objects live. All implementations behave as Kubernetes' API server does; one conformance suite
 * (`tests/conformance/store.ts`) says what that means. Failures are `ChanceryError`s: `invalid-input`, `conflict`,
 * `not-found`, `unavailable`.
 */
export interface Store {
  get(key: ObjectKey): Promise<StoredObject | undefined>;
  /** Sorted by namespace and name; `resourceVersion` is that of the whole list. */
  list(kind: string, query?: ListQuery): Promise<{ items: readonly StoredObject[]; resourceVersion: string }>;
  /**
   * Tells each change of the kinds, in order, until the signal: first all that exists as `added`. Resolves once those were
   * told. `onEvent` must not throw.
   */
  watch(
    kinds: readonly string[],
    onEvent: (event: WatchEvent) => void,
    options: { readonly signal: AbortSignal },
  ): Promise<void>;
  /** Server-side apply: creates, or merges what is stated; a write that changes nothing writes nothing. */
  apply(object: ApplyObject, options: ApplyOptions): Promise<StoredObject>;
  /** Replaces the status; the generation stays. `undefined` takes it away. */
  updateStatus(key: ObjectKey, status: unknown, options?: StatusOptions): Promise<StoredObject>;
  /** Whether there was such an object. Objects owned by it alone follow, sooner or later. */
  remove(key: ObjectKey, options?: RemoveOptions): Promise<boolean>;
  /** Notes an event; old ones are forgotten. Best effort: does not fail when it cannot be written. */
  record(event: StoreEvent): Promise<void>;
}
