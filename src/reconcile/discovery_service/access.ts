import {
  DISCOVERY_SERVICE_ROLE,
  type DiscoveryService,
  discoveryServiceNames,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { controllerReference } from "../engine/owned.ts";

/** Who the pods are, and what they may do. */
export function accessOf(object: DiscoveryService): StatedObject[] {
  const { name, namespace = "default" } = object.metadata;
  const metadata = {
    name: discoveryServiceNames(name).workload,
    namespace,
    labels: ownedLabels("discovery-service", name),
    ownerReferences: [controllerReference(object)],
  };
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata },
    {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: DISCOVERY_SERVICE_ROLE },
      subjects: [{ kind: "ServiceAccount", name: metadata.name, namespace }],
    },
  ];
}
