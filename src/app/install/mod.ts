/**
 * Installing in a cluster, and the other way round.
 * @module
 */
export { ClusterObjects } from "./cluster_objects.ts";
export { checkInstall, type ClusterHost, install, InstallTimeout, type WaitOptions } from "./install.ts";
export { uninstall } from "./uninstall.ts";
