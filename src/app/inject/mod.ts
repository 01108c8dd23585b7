/**
 * Sidecars for manifests, without a webhook.
 * @module
 */
export type { EditedManifests } from "./edit_manifests.ts";
export { injectManifests, type InjectManifestsOptions } from "./inject_manifests.ts";
export { uninjectManifests } from "./uninject_manifests.ts";
