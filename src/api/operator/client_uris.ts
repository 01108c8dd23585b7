/** What a client certificate says that is good for any node id of a namespace; ids are percent-encoded. */
export function namespaceUri(namespace: string): string {
  return `urn:chancery:namespace:${encodeURIComponent(namespace)}`;
}

/** What a client certificate says that is good for one node id of a namespace. */
export function nodeIdUri(namespace: string, nodeId: string): string {
  return `urn:chancery:node:${encodeURIComponent(namespace)}:${encodeURIComponent(nodeId)}`;
}
