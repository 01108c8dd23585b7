/**
 * The role `standalone`: a directory of YAML becomes running Envoys, without Kubernetes.
 * @module
 */
export type { StandaloneOptions } from "./options.ts";
export { runStandalone } from "./run.ts";
export { type RunningStandalone, startStandalone } from "./standalone.ts";
