/**
 * Sidecars for manifests, without a webhook.
 * @module
 */
export { type InjectedManifests, injectManifests, type InjectManifestsOptions } from "./inject_manifests.ts";
