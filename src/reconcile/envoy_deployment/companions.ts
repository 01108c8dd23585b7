import {
  type DiscoveryServiceSettings,
  type EnvoyDeployment,
  envoyDeploymentNames,
  type EnvoyDeploymentSettings,
  namespaceUri,
  nodeIdUri,
  OPERATOR_API_VERSION,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { controllerReference, type LiveObjects } from "../engine/owned.ts";
import { clientCertificateSpec } from "../certificate/client_certificate.ts";
import { grantedUris } from "../certificate/granted_uris.ts";

/** The certificate that the Envoys show to the discovery service, signed by the CA that it really has (C2). */
export function clientCertificateOf(
  object: EnvoyDeployment,
  { settings, service, nodeId, live }: {
    settings: EnvoyDeploymentSettings;
    service: DiscoveryServiceSettings;
    nodeId: string;
    live: LiveObjects;
  },
): StatedObject {
  const { namespace = "default" } = object.metadata;
  const name = envoyDeploymentNames(object.metadata.name).clientCertificate;
  const node = nodeIdUri(namespace, nodeId);
  // Both, so that pods which ask for the one still serve whom those serve that ask for the other.
  const wanted = { Off: undefined, Namespace: [namespaceUri(namespace), node], NodeID: [node] };
  const uris = grantedUris(live.get({ kind: "DiscoveryServiceCertificate", namespace, name }), {
    wanted: wanted[service.clientAuthorization],
  });
  return {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    metadata: metadataOf(object, name),
    spec: clientCertificateSpec(name, {
      ...{ uris, validFor: settings.clientCertificateValidFor },
      authority: { name: service.ca.secretName, namespace },
    }),
  };
}

/** What scales the Deployment, all of it (C7); nothing where a number is given. */
export function autoscalerOf(object: EnvoyDeployment, settings: EnvoyDeploymentSettings): StatedObject[] {
  const { dynamic } = object.spec.replicas ?? {};
  if (!dynamic || settings.replicas !== undefined || settings.workload !== "Deployment") return [];
  const { workload } = envoyDeploymentNames(object.metadata.name);
  return [{
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: metadataOf(object, workload),
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: workload },
      ...(dynamic.minReplicas !== undefined && { minReplicas: dynamic.minReplicas }),
      maxReplicas: dynamic.maxReplicas,
      ...(dynamic.metrics && { metrics: dynamic.metrics }),
      ...(dynamic.behavior && { behavior: dynamic.behavior }),
    },
  }];
}

/** How many pods may be taken away; an empty one means none. */
export function disruptionBudgetOf(object: EnvoyDeployment): StatedObject[] {
  const { minAvailable, maxUnavailable } = object.spec.podDisruptionBudget ?? {};
  if (minAvailable === undefined && maxUnavailable === undefined) return [];
  const { name } = object.metadata;
  return [{
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: metadataOf(object, envoyDeploymentNames(name).workload),
    spec: {
      ...(minAvailable === undefined ? { maxUnavailable } : { minAvailable }),
      selector: { matchLabels: ownedLabels("envoy-deployment", name) },
    },
  }];
}

/** A Service for the declared ports, where one is asked for. */
export function serviceOf(object: EnvoyDeployment, settings: EnvoyDeploymentSettings): StatedObject[] {
  const { service } = object.spec;
  if (!service || settings.ports.length === 0) return []; // no API server takes one without ports
  const { name } = object.metadata;
  const headless = service.type === "Headless";
  const metadata = metadataOf(object, service.name || envoyDeploymentNames(name).workload);
  return [{
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      ...metadata,
      labels: { ...service.labels, ...metadata.labels },
      ...(service.annotations && { annotations: service.annotations }),
    },
    spec: {
      type: headless ? "ClusterIP" : service.type ?? "ClusterIP",
      ...(headless && { clusterIP: "None" }),
      ...(service.loadBalancerClass && { loadBalancerClass: service.loadBalancerClass }),
      ...(service.externalTrafficPolicy && { externalTrafficPolicy: service.externalTrafficPolicy }),
      ports: settings.ports.map(({ name: portName, port, protocol }) => ({
        ...{ name: portName, port, protocol, targetPort: portName },
      })),
      selector: ownedLabels("envoy-deployment", name),
    },
  }];
}

function metadataOf(object: EnvoyDeployment, name: string) {
  return {
    name,
    namespace: object.metadata.namespace ?? "default",
    labels: ownedLabels("envoy-deployment", object.metadata.name),
    ownerReferences: [controllerReference(object)],
  };
}
