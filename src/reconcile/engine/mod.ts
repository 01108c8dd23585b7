/**
 * What reconcilers of all kinds of owned objects share.
 * @module
 */
export { ObjectController } from "./object_controller.ts";
export { ownedController, type OwnedControllerOptions, type OwnedKind } from "./owned_controller.ts";
export type { OwnedStore } from "./owned_store.ts";
export { keyOf, type WatchedObject } from "./object_source.ts";
