/**
 * VirtualService and what it needs to know of pods. Apart from `api/mod.ts`, since few roles need it.
 * @module
 */
export { type ReadVirtualService, readVirtualService } from "./check_virtual_service.ts";
export { MESH_ANNOTATIONS, MESH_API_VERSION, MESH_FINALIZER, MESH_GROUP } from "./names.ts";
export { Pod, readyAddress, withObserved } from "./pod.ts";
export { MeshCluster, MeshEndpoint, MeshListener, SERVICE_DISCOVERIES, VirtualServiceSpec } from "./spec.ts";
export { MeshRejection, MeshReplicaReport, VirtualServiceStatus } from "./status.ts";
export { VIRTUAL_SERVICE, type VirtualService } from "./virtual_service.ts";
