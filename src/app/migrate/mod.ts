/**
 * Reads what is to be taken over, from a cluster or from files.
 * @module
 */
export { readCluster } from "./read_cluster.ts";
export { readFiles } from "./read_files.ts";
