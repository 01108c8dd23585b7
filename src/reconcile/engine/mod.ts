/**
 * What reconcilers of all kinds of owned objects share.
 * @module
 */
export { byAge } from "./by_age.ts";
export { holds } from "./needs_apply.ts";
export { ObjectController } from "./object_controller.ts";
export { controllerOf } from "./owned.ts";
export { ownedController, type OwnedControllerOptions, type OwnedKind } from "./owned_controller.ts";
export type { OwnedStore } from "./owned_store.ts";
export { keyOf, type WatchedObject } from "./object_source.ts";
