/** The API group of VirtualService. */
export const MESH_GROUP = "servicemesh.l7mp.io";

/** `apiVersion` of VirtualService. */
export const MESH_API_VERSION = `${MESH_GROUP}/v1`;

/** Annotations by which people steer a VirtualService. */
export const MESH_ANNOTATIONS = {
  /** `cluster`: its selectors reach the pods of every namespace, and not only those of its own. */
  scope: `${MESH_GROUP}/scope`,
} as const;

/** Set by those who write VirtualServices for the original, which asked for it. We need no finalizer and only take it off. */
export const MESH_FINALIZER = "l7mp.io/delete";
