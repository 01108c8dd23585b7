import {
  type DiscoveryServiceSettings,
  type EnvoyDeployment,
  envoyDeploymentNames,
  type EnvoyDeploymentSettings,
  ownedLabels,
} from "../../api/operator/mod.ts";
import { sha256Hex } from "../../base/hash/mod.ts";
import {
  envoyContainer,
  type EnvoyPodOptions,
  envoyVolumes,
  gracePeriodSeconds,
  initContainer,
  podSecurity,
  shutdownContainer,
} from "../../inject/mod.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import { controllerReference } from "../engine/owned.ts";
import { schedulingOf } from "../engine/scheduling.ts";
import type { EnvoyDeploymentInput } from "./inputs.ts";

/** What the pods are made from. */
export interface WorkloadOptions {
  readonly settings: EnvoyDeploymentSettings;
  readonly service: DiscoveryServiceSettings;
  readonly nodeId: string;
  /** ConfigMap to verify the server by; without one it is not verified. */
  readonly bundle: string | undefined;
  readonly live: WatchedObject | undefined;
}

/** The Deployment or DaemonSet of an EnvoyDeployment. */
export function workloadOf(input: EnvoyDeploymentInput, options: WorkloadOptions): StatedObject {
  const { object } = input;
  const { settings, live } = options;
  const { name, namespace = "default" } = object.metadata;
  const labels = ownedLabels("envoy-deployment", name);
  const selector = selectorOf(live) ?? labels;
  const metadata = {
    name: envoyDeploymentNames(name).workload,
    namespace,
    labels,
    ownerReferences: [controllerReference(object)],
  };
  const template = podTemplateOf(input, { ...options, selector });
  const shared = { selector: { matchLabels: selector }, template };
  if (settings.workload === "DaemonSet") {
    const updateStrategy = { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } };
    return { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: { ...shared, updateStrategy } };
  }
  const replicas = replicasOf(object, settings, live);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata,
    spec: {
      ...(replicas !== undefined && { replicas }),
      ...shared,
      strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
    },
  };
}

function podTemplateOf(
  { object, image, namespace }: EnvoyDeploymentInput,
  { settings, service, nodeId, bundle, selector }: WorkloadOptions & { selector: Readonly<Record<string, string>> },
): Record<string, unknown> {
  const { spec, metadata: { name, uid = "" } } = object;
  const labels = ownedLabels("envoy-deployment", name);
  const envoy: EnvoyPodOptions = {
    containerName: "envoy",
    image: settings.image,
    nodeId,
    clusterId: spec.clusterID || nodeId,
    ports: settings.ports,
    extraArgs: spec.extraArgs ?? [],
    admin: settings.admin,
    readyWhen: settings.readyWhen,
    xds: { host: service.host, port: service.ports.xds },
    volumes: { tls: "envoy-tls", bootstrap: "envoy-bootstrap" },
    clientSecret: envoyDeploymentNames(name).clientCertificate,
    bundle,
    liveness: settings.liveness,
    readiness: settings.readiness,
    resources: spec.resources,
    init: { image: spec.initManager?.image || image, resources: spec.initManager?.resources },
    shutdown: settings.shutdown && {
      ...settings.shutdown,
      token: drainTokenOf(uid),
      image: spec.shutdownManager?.image || image,
      resources: spec.shutdownManager?.resources,
    },
    securityContext: spec.securityContext,
    restricted: namespace.restricted,
  };
  const shutdown = shutdownContainer(envoy);
  return {
    metadata: {
      labels: { ...spec.podLabels, ...selector, ...labels },
      ...(spec.podAnnotations && { annotations: spec.podAnnotations }),
    },
    spec: {
      ...schedulingOf(spec, { selector: labels }),
      serviceAccountName: settings.serviceAccountName,
      // Envoy asks the API server nothing; who names an account has a reason (S7).
      ...(spec.serviceAccountName ? {} : { automountServiceAccountToken: false }),
      terminationGracePeriodSeconds: gracePeriodSeconds(envoy),
      securityContext: podSecurity({ ...namespace, given: spec.podSecurityContext }),
      initContainers: [initContainer(envoy)],
      containers: [envoyContainer(envoy), ...(shutdown ? [shutdown] : [])],
      volumes: envoyVolumes(envoy),
    },
  };
}

/**
 * What the hooks of these pods show to begin a drain (S5). All pods of one object have the same, as they have one template; nobody
 * knows it who may not read the object, and it stays as long as the object does.
 */
function drainTokenOf(uid: string): string {
  return sha256Hex(`drain of ${uid}`).slice(0, 32);
}

/** A selector cannot be changed, and the pods have to fit it. */
function selectorOf(live: WatchedObject | undefined): Readonly<Record<string, string>> | undefined {
  const spec = live?.spec as { selector?: { matchLabels?: Readonly<Record<string, string>> } } | undefined; // by its kind
  return spec?.selector?.matchLabels;
}

/**
 * The number to state. With an autoscaler the live one is stated again until the autoscaler has set it itself: whoever stops
 * stating a number that nobody else owns sets it back to one.
 */
function replicasOf(
  { spec }: EnvoyDeployment,
  settings: EnvoyDeploymentSettings,
  live: WatchedObject | undefined,
): number | undefined {
  if (settings.replicas !== undefined) return settings.replicas;
  const fewest = spec.replicas?.dynamic?.minReplicas ?? 1;
  if (!live) return fewest;
  if (scalerOwnsReplicas(live)) return undefined;
  return (live.spec as { replicas?: number } | undefined)?.replicas ?? fewest; // a Deployment, by its kind
}

function scalerOwnsReplicas({ metadata }: WatchedObject): boolean {
  const { managedFields = [] } = metadata as { managedFields?: readonly ManagedFields[] }; // ours are not read otherwise
  return managedFields.some(({ subresource, fieldsV1 }) =>
    subresource === "scale" && fieldsV1?.["f:spec"]?.["f:replicas"] !== undefined
  );
}

interface ManagedFields {
  readonly subresource?: string;
  readonly fieldsV1?: { readonly "f:spec"?: { readonly "f:replicas"?: unknown } };
}
