/**
 * What an Envoy's pod consists of, whether Envoy is a sidecar in somebody's pod or runs in a pod of its own, and how a sidecar
 * gets into a pod. Pure.
 * @module
 */
export { type PatchOperation } from "./additions.ts";
export { INJECTION_LABEL, INJECTION_PATH } from "./annotations/names.ts";
export { type Discovery, discoveryIn } from "./discovery.ts";
export { envoyContainer } from "./envoy_container.ts";
export { initContainer } from "./init_container.ts";
export { type Injection, type InjectOptions, injectPod } from "./inject_pod.ts";
export { type EnvoyPodOptions, PATHS, type ShutdownOptions } from "./options.ts";
export { podTemplatePath } from "./pod_template.ts";
export { podSecurity } from "./security.ts";
export { gracePeriodSeconds, shutdownContainer } from "./shutdown_container.ts";
export { type Uninjection, uninjectPod } from "./uninject_pod.ts";
export { envoyVolumes } from "./volumes.ts";
