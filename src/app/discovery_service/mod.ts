/**
 * The role `discovery-service`: EnvoyConfigs of a cluster become running Envoys, by any number of replicas.
 * @module
 */
export { type RunningDiscoveryService, startDiscoveryService } from "./discovery_service.ts";
export type { DiscoveryServiceOptions } from "./options.ts";
export { runDiscoveryService } from "./run.ts";
