import {
  type DiscoveryService,
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  OPERATOR_ANNOTATIONS,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import { controllerReference } from "../engine/owned.ts";
import type { ClientRule } from "./client_rule.ts";
import { podTemplateOf } from "./pod_template.ts";

/** The part of a live Deployment that is looked at. */
interface LiveDeployment {
  readonly spec?: {
    readonly replicas?: number;
    readonly strategy?: { readonly type?: string };
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: { readonly metadata?: { readonly labels?: Readonly<Record<string, string>> } };
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

/** The Deployment of a discovery service. `hash` is that of the server certificate that is in use. */
export function deploymentOf(
  object: DiscoveryService,
  { settings, rule, image, hash, live }: {
    settings: DiscoveryServiceSettings;
    rule: ClientRule;
    image: string;
    hash: string;
    live: WatchedObject | undefined;
  },
): StatedObject {
  const { name, namespace = "default" } = object.metadata;
  const labels = ownedLabels("discovery-service", name);
  const found = (live ?? {}) as LiveDeployment; // a Deployment, by its kind
  // A selector cannot be changed, and the pods have to fit it.
  const selector = found.spec?.selector?.matchLabels ?? labels;
  const hashLabel = found.spec?.template?.metadata?.labels?.[OPERATOR_ANNOTATIONS.serverCertificateHash];
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: {
      name: discoveryServiceNames(name).workload,
      namespace,
      labels,
      annotations: { [OPERATOR_ANNOTATIONS.serverCertificateHash]: hash },
      ownerReferences: [controllerReference(object)],
    },
    spec: {
      replicas: settings.replicas,
      selector: { matchLabels: selector },
      strategy: keepsRecreating(live)
        ? { type: "Recreate" }
        : { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      template: podTemplateOf(object, {
        ...{ settings, rule, image },
        // A label of the template that changed with the certificate would start every pod anew (A1, A2).
        labels: { ...selector, [OPERATOR_ANNOTATIONS.serverCertificateHash]: hashLabel ?? hash },
      }),
    },
  };
}

/**
 * Whether pods of an older program are still to be replaced: two versions that run side by side write each other's revisions, so
 * the old ones end first, this one time. Our own Deployments carry an annotation that theirs do not.
 */
function keepsRecreating(live: WatchedObject | undefined): boolean {
  if (!live) return false;
  const { spec, status } = live as LiveDeployment; // a Deployment, by its kind
  if (live.metadata.annotations?.[OPERATOR_ANNOTATIONS.serverCertificateHash] === undefined) return true;
  return spec?.strategy?.type === "Recreate" && !isRolledOut(live, spec.replicas ?? 1, status ?? {});
}

function isRolledOut(
  { metadata }: WatchedObject,
  replicas: number,
  status: NonNullable<LiveDeployment["status"]>,
): boolean {
  const { observedGeneration = 0, replicas: all = 0, updatedReplicas = 0 } = status;
  return observedGeneration >= (metadata.generation ?? 0) && updatedReplicas >= replicas && all <= updatedReplicas;
}

/** How many pods of a Deployment are as wanted, of how many; `undefined` before its controller has looked at it. */
export function readiness(live: WatchedObject | undefined): { ready: number; wanted: number } | undefined {
  if (!live) return undefined;
  const { spec, status = {} } = live as LiveDeployment; // a Deployment, by its kind
  const wanted = spec?.replicas ?? 1;
  if ((status.observedGeneration ?? 0) < (live.metadata.generation ?? 0)) return { ready: 0, wanted };
  return { ready: Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0), wanted };
}
