import type { ObjectKey } from "../../base/mod.ts";
import type { ObjectEvent, StatedObject, WatchedObject } from "./object_source.ts";

/** What the reconcilers of owned objects need of a store; `store/mod.ts` has it. */
export interface OwnedStore {
  /** As it is now, whatever a watch has told. */
  get(key: ObjectKey): Promise<WatchedObject | undefined>;
  /** All objects there are as added, then every change until `signal`. Resolves once the first were delivered. */
  watch(
    kinds: readonly string[],
    onEvent: (event: ObjectEvent) => void,
    options: { signal: AbortSignal },
  ): Promise<void>;
  /** Server-side apply: creates, or merges what is stated. Refused with `conflict` when a stated version is not the stored one. */
  apply(object: StatedObject, options: { fieldManager: string; force?: boolean }): Promise<WatchedObject>;
  /** Replaces the status. Refused with `conflict` when `resourceVersion` is no longer the stored one. */
  updateStatus(
    key: ObjectKey,
    status: object,
    options?: { resourceVersion?: string },
  ): Promise<WatchedObject>;
  /** Whether there was such an object. Refused with `conflict` when it is another one by now. */
  remove(key: ObjectKey, options?: { uid?: string; resourceVersion?: string }): Promise<boolean>;
  /** Best effort. */
  record(event: {
    readonly about: ObjectKey;
    readonly type: "Normal" | "Warning";
    readonly reason: string;
    readonly message: string;
  }): Promise<void>;
}
