/**
 * What an Envoy's pod consists of, whether Envoy is a sidecar in somebody's pod or runs in a pod of its own.
 * @module
 */
export { envoyContainer } from "./envoy_container.ts";
export { initContainer } from "./init_container.ts";
export { type EnvoyPodOptions, PATHS, type ShutdownOptions } from "./options.ts";
export { podSecurity } from "./security.ts";
export { gracePeriodSeconds, shutdownContainer } from "./shutdown_container.ts";
export { envoyVolumes } from "./volumes.ts";
