/**
 * A cluster as whoever the kubeconfig names may see it. Loads the Kubernetes client library, so it is imported when a cluster is asked.
 * @module
 */
export { ClusterAccess, type ClusterAccessOptions, connectAsUser } from "./cluster_access.ts";
