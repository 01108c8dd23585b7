/**
 * The store of a cluster: the Kubernetes API server. Loads the Kubernetes client library, so only the commands that talk to a
 * cluster import it, when they are chosen.
 * @module
 */
export { ApiError } from "./connection/api_error.ts";
export {
  type ApiClass,
  connect,
  type ConnectOptions,
  type KubeConnection,
  type RequestOptions,
} from "./connection/connection.ts";
export { type KubernetesStore, type KubernetesStoreOptions, openKubernetesStore } from "./kubernetes_store.ts";
export type { WatchPhase, WatchState } from "./reflector/watch_phase.ts";
export { collectionPath, knownResource, type Resource, resourceOf } from "./resources.ts";
