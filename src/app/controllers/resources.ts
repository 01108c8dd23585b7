import {
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  ENVOY_DEPLOYMENT,
  MANAGED_LABELS,
} from "../../api/operator/mod.ts";
import { knownResource, type Resource, resourceOf } from "../../store/kubernetes/mod.ts";

/** Kinds of which we make objects: only those are watched that carry our label (S4). */
const MADE = [
  "ConfigMap",
  "Service",
  "ServiceAccount",
  "Deployment",
  "DaemonSet",
  "PodDisruptionBudget",
  "HorizontalPodAutoscaler",
  "Role",
  "RoleBinding",
];

/** How the kinds are watched that the operator and the certificate controllers look at. */
export const RESOURCES: readonly Resource[] = [
  ...MADE.map((kind) => ({ ...knownResource(kind), selector: MANAGED_LABELS, keepManagedFields: true })),
  resourceOf(DISCOVERY_SERVICE),
  resourceOf(ENVOY_DEPLOYMENT),
  // Users make some, too; of those that we make for others it matters who set what.
  { ...resourceOf(DISCOVERY_SERVICE_CERTIFICATE), keepManagedFields: true },
];
