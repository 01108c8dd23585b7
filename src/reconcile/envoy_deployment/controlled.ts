import {
  type DiscoveryService,
  type EnvoyDeployment,
  type EnvoyDeploymentStatus,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { OwnedKind } from "../engine/owned_controller.ts";
import type { EnvoyDeploymentInput } from "./inputs.ts";
import { planEnvoyDeployment } from "./plan.ts";

/** Kinds of which an EnvoyDeployment has some. */
const OWNED = [
  ...["DiscoveryServiceCertificate", "Deployment", "DaemonSet", "HorizontalPodAutoscaler"],
  ...["PodDisruptionBudget", "Service"],
] as const;

/** Where a namespace says what it admits, and which users its pods get. */
const ENFORCED = "pod-security.kubernetes.io/enforce";
const USERS = "openshift.io/sa.scc.uid-range";

/** Options of {@linkcode envoyDeploymentKind}. */
export interface EnvoyDeploymentKindOptions {
  readonly now: () => number;
  /** The image of this program. */
  readonly image: string;
  /** The image of Envoy for those who name none; that of this version when undefined. */
  readonly envoyImage: string | undefined;
  /** A namespace; `undefined` when it cannot be told. */
  readonly namespace: (name: string) => Promise<WatchedObject | undefined>;
}

/** How an EnvoyDeployment becomes what it is made of. */
export function envoyDeploymentKind(
  { now, image, envoyImage, namespace: namespaceOf }: EnvoyDeploymentKindOptions,
): OwnedKind<EnvoyDeploymentInput, EnvoyDeploymentStatus> {
  return {
    kind: "EnvoyDeployment",
    watched: [...OWNED, "DiscoveryService", "EnvoyConfig"],
    async gather(found, view, others) {
      const object = found as WatchedObject & EnvoyDeployment; // by its kind
      const { metadata: { name, namespace = "default" }, spec } = object;
      const named = (kind: string, name: string) => view.get({ kind, namespace, name });
      const config = named("EnvoyConfig", spec.envoyConfigRef) as { spec?: { nodeID?: string } } | undefined; // by its kind
      const labels = ownedLabels("envoy-deployment", name);
      const { labels: said = {}, annotations = {} } = (await namespaceOf(namespace))?.metadata ?? {};
      return {
        now: now(),
        object,
        discoveryService: named("DiscoveryService", spec.discoveryServiceRef) as
          | (WatchedObject & DiscoveryService)
          | undefined, // by its kind
        nodeId: config?.spec?.nodeID || undefined,
        image,
        envoyImage,
        owned: [...OWNED.flatMap((kind) => view.labelled(kind, namespace, labels)), ...others],
        namespace: { restricted: said[ENFORCED] === "restricted", userIsSet: annotations[USERS] !== undefined },
      };
    },
    plan: planEnvoyDeployment,
  };
}
