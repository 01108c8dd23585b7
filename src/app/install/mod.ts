/**
 * Installing in a cluster, and the other way round.
 * @module
 */
export { type ClusterHost, install, InstallTimeout, type WaitOptions } from "./install.ts";
export { uninstall } from "./uninstall.ts";
