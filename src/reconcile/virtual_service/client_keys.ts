import type { NodeInfo } from "../../xds/mod.ts";

/** Metadata by which the agents in pods tell where they run. */
const POD_NAME = "pod_name", POD_NAMESPACE = "pod_namespace";
/** Where an Envoy says what labels it has and not where. */
const DEFAULT_NAMESPACE = "default";

/** By what a client may say who it is, besides being the pod whose UID is its node id. */
export interface ClientTrust {
  /** Name and namespace of a pod. */
  readonly metadata: boolean;
  /** Labels, where they are not known from anybody else. */
  readonly labels: boolean;
}

/** What is known under a UID gets an answer even when nothing selects it: such a client waits for nothing else. */
export function uidKey(uid: string): string {
  return `uid/${uid}`;
}

/** The key of a pod. */
export function podKey(namespace: string, name: string): string {
  return `pod/${namespace}/${name}`;
}

/** The key of an Envoy that says what labels it has. */
export function labelledKey(nodeId: string): string {
  return `labelled/${nodeId}`;
}

/** Of two layers of the same pod that of clients with a stream per type; it is there only where the two differ. */
export function ownStreamKey(key: string): string {
  return `${key} own-stream`;
}

/** By which a client finds its layer, the best first. */
export function clientKeys(
  node: Pick<NodeInfo, "id" | "metadata" | "labels">,
  { trust, ownStream }: { trust: ClientTrust; ownStream: boolean },
): string[] {
  const { id, metadata, labels } = node;
  const [name, namespace] = [metadata.get(POD_NAME), metadata.get(POD_NAMESPACE)];
  const keys = [
    uidKey(id),
    ...(trust.metadata && name && namespace ? [podKey(namespace, name)] : []),
    ...(trust.labels && labels ? [labelledKey(id)] : []),
  ];
  return ownStream ? keys.flatMap((key) => [ownStreamKey(key), key]) : keys;
}

/** The namespace whose VirtualServices reach an Envoy that says what labels it has. */
export function namespaceOf({ metadata }: Pick<NodeInfo, "metadata">): string {
  return metadata.get(POD_NAMESPACE) || DEFAULT_NAMESPACE;
}
