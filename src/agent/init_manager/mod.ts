/**
 * The role `init-manager`: writes what the Envoy of a pod is started from. Imports nothing that is heavy.
 * @module
 */
export { bootstrapFiles, type InitManagerOptions, type PodIdentity } from "./files.ts";
export { type InitManagerHost, runInitManager } from "./init_manager.ts";
