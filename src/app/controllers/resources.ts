import {
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  ENVOY_DEPLOYMENT,
  MANAGED_LABELS,
} from "../../api/operator/mod.ts";
import { type Resource, resourceOf } from "../../store/kubernetes/mod.ts";

/** Kinds of which we make objects: only those are watched that carry our label (S4). */
const MADE: readonly Resource[] = [
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  { apiVersion: "v1", kind: "Service", plural: "services" },
  { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" },
  { apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets" },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets" },
  { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", plural: "roles" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", plural: "rolebindings" },
];

/** How the kinds are watched that the operator and the certificate controllers look at. */
export const RESOURCES: readonly Resource[] = [
  ...MADE.map((resource) => ({ ...resource, selector: MANAGED_LABELS, keepManagedFields: true })),
  resourceOf(DISCOVERY_SERVICE),
  resourceOf(ENVOY_DEPLOYMENT),
  // Users make some, too; of those that we make for others it matters who set what.
  { ...resourceOf(DISCOVERY_SERVICE_CERTIFICATE), keepManagedFields: true },
];
