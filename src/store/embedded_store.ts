import type { ObjectKey } from "../base/mod.ts";
import type { ApplyObject, ApplyOptions, RemoveOptions, StatusOptions, Store, StoreEvent } from "./store.ts";

/** One step of a transaction. */
export type Operation =
  | { readonly apply: ApplyObject; readonly options: ApplyOptions }
  | { readonly status: ObjectKey; readonly value: unknown; readonly options?: StatusOptions }
  | { readonly remove: ObjectKey; readonly options?: RemoveOptions }
  | { readonly keep: string; readonly data: Uint8Array }
  | { readonly forget: string };

/** An event as it was noted. Times are RFC 3339. */
export interface RecordedEvent extends StoreEvent {
  readonly count: number;
  readonly firstSeen: string;
  readonly lastSeen: string;
}

/** What a store inside our own process offers beyond {@linkcode Store}. */
export interface EmbeddedStore extends Store, AsyncDisposable {
  /** All steps or, when one fails, none of them. Watches see the changes only afterwards, in order. */
  transaction(operations: readonly Operation[]): Promise<void>;
  /** Puts bytes away under a private name, e.g. last good content. Never in `list` or `watch`. */
  keep(name: string, data: Uint8Array): Promise<void>;
  /** Bytes put away under the name. */
  kept(name: string): Promise<Uint8Array | undefined>;
  /** The names with this beginning, sorted. */
  keptNames(prefix: string): Promise<string[]>;
  forget(name: string): Promise<void>;
  /** Noted events, oldest first; of one object when a key is given. */
  events(about?: ObjectKey): Promise<readonly RecordedEvent[]>;
  /** Why the last write could not be made durable; `undefined` when it was. What is in memory is served all the same. */
  readonly trouble: string | undefined;
  /** Ends all watches; later calls fail with `unavailable`. */
  close(): Promise<void>;
}
