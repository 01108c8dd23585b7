/**
 * What the objects in a cluster say of EnvoyConfigs, without a process to ask. Loads the Kubernetes client library, so it is
 * imported when a cluster is asked.
 * @module
 */
export { Cluster, type ClusterQuery, openCluster } from "./cluster.ts";
