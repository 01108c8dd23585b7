/**
 * The pods of a cluster that have to do with us, and what they are judged by, as whoever the kubeconfig names may see it.
 * @module
 */
export { ClusterPods, openPods, type PodsQuery } from "./cluster_pods.ts";
export type { InjectorDocument, PodsDocument, ProgramDocument, ProgramsDocument } from "./document.ts";
