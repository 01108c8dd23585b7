/**
 * Where objects live: one interface, several implementations, one conformance suite (`tests/conformance/store.ts`).
 * The implementations that touch disk or network have doors of their own (`store/local/mod.ts`, `store/directory/mod.ts`).
 * @module
 */
export { type LabelExpression, type LabelSelector, matchesLabels } from "./core/selector.ts";
export type { EmbeddedStore, Operation, RecordedEvent } from "./embedded_store.ts";
export { openMemoryStore } from "./memory/mod.ts";
export type {
  ApplyObject,
  ApplyOptions,
  FieldSet,
  ListQuery,
  ManagedFields,
  ObjectMeta,
  OwnerReference,
  RemoveOptions,
  StatusOptions,
  Store,
  StoredObject,
  StoreEvent,
  WatchEvent,
} from "./store.ts";
