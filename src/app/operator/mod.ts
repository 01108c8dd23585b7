/**
 * The role `operator`: DiscoveryServices and EnvoyDeployments become pods that serve and pods that are served.
 * @module
 */
export type { OperatorOptions } from "./options.ts";
export { runOperator } from "./run.ts";
