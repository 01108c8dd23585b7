/**
 * Objects of the operator's kinds in which every field is set. What is Kubernetes' own is filled after the OpenAPI of the API
 * server that the test talks to, not after our CRDs, so that a field we do not know would be missed.
 * @module
 */
import type { ControlPlane } from "../control_plane/mod.ts";

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

/** One value with every field of a type, from `/openapi/v3`. */
export async function fullValue(cluster: ControlPlane, document: string, name: string): Promise<unknown> {
  const { components: { schemas } } = await cluster.request("GET", `/openapi/v3/${document}`) as {
    components: { schemas: Readonly<Record<string, Schema>> };
  };
  return fill({ $ref: name }, schemas);
}

function fill(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) return fill(schemas[ref.slice(ref.lastIndexOf("/") + 1)]!, schemas);
  if (schema.oneOf) return schema.format === "int-or-string" ? "10%" : "100m";
  switch (schema.type) {
    case "object":
      if (schema.additionalProperties) return { key: fill(schema.additionalProperties, schemas) };
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, field]) => [name, fill(field, schemas)]),
      );
    case "array":
      return [fill(schema.items!, schemas)];
    case "boolean":
      return true;
    case "integer":
      return 1;
    default:
      return schema.format === "date-time" ? "2026-01-02T03:04:05Z" : "text";
  }
}

/** `pods` of a spec: the same fields in both kinds. */
async function podFields(cluster: ControlPlane): Promise<Record<string, unknown>> {
  const core = (name: string) => fullValue(cluster, "api/v1", `io.k8s.api.core.v1.${name}`);
  return {
    affinity: await core("Affinity"),
    tolerations: [await core("Toleration")],
    nodeSelector: { disk: "fast" },
    topologySpreadConstraints: [await core("TopologySpreadConstraint")],
    podAnnotations: { a: "b" },
    podLabels: { a: "b" },
    podPriorityClass: "high",
    imagePullSecrets: [await core("LocalObjectReference")],
    podSecurityContext: await core("PodSecurityContext"),
    securityContext: await core("SecurityContext"),
    resources: await core("ResourceRequirements"),
  };
}

/** A spec of a DiscoveryService with every field but one of the two spellings of its certificates. */
export async function fullDiscoveryService(cluster: ControlPlane, spelling: "pkiConfg" | "pkiConfig") {
  return {
    ...{ image: "ours", debug: true, replicas: 3, xdsServerPort: 1, metricsPort: 2, probePort: 3 },
    [spelling]: {
      rootCertificateAuthority: { secretName: "ca", duration: "26280h" },
      serverCertificate: { secretName: "server", duration: "1h30m0.5s", hosts: ["xds.example.com", "10.0.0.1"] },
      keyAlgorithm: "RSA-2048",
      trustDelay: "1m",
    },
    serviceConfig: { name: "xds", type: "Headless" },
    ...{ clientAuthorization: "NodeID", clientAuthorizationAction: "Warn" },
    ...await podFields(cluster),
  };
}

/** A spec of a DiscoveryServiceCertificate with every field. */
export const FULL_CERTIFICATE = {
  ...{ commonName: "cn", server: true, isCA: true, validFor: 100, hosts: ["a", "::1"], uris: ["spiffe://a/b"] },
  signer: { selfSigned: {}, caSigned: { caSecretRef: { name: "ca", namespace: "other" } } },
  secretRef: { name: "secret", namespace: "ignored" },
  certificateRenewal: { enabled: false },
  certificateRenewalConfig: { enabled: true },
  keyAlgorithm: "ECDSA-P256",
};

/** A spec of an EnvoyDeployment with every field but those that exclude others. */
export async function fullEnvoyDeployment(cluster: ControlPlane) {
  const scaling = (name: string) => fullValue(cluster, "apis/autoscaling/v2", `io.k8s.api.autoscaling.v2.${name}`);
  const resources = await fullValue(cluster, "api/v1", "io.k8s.api.core.v1.ResourceRequirements");
  const probe = {
    ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 2, successThreshold: 3, failureThreshold: 4 },
  };
  return {
    ...{ envoyConfigRef: "config", discoveryServiceRef: "ds", clusterID: "c", workload: "Deployment" },
    ports: [{ name: "https", port: 443, protocol: "TCP" }, { name: "dns", port: 53, protocol: "UDP" }],
    ...{
      image: "envoy",
      duration: "48h",
      extraArgs: ["-l", "debug"],
      adminPort: 9902,
      adminAccessLogPath: "/dev/stdout",
    },
    replicas: {
      dynamic: {
        ...{ minReplicas: 1, maxReplicas: 10 },
        metrics: [await scaling("MetricSpec")],
        behavior: await scaling("HorizontalPodAutoscalerBehavior"),
      },
    },
    ...{
      livenessProbe: probe,
      readinessProbe: probe,
      readiness: "started",
      podDisruptionBudget: { maxUnavailable: "10%" },
    },
    service: {
      ...{ name: "edge", type: "LoadBalancer", annotations: { a: "b" }, labels: { a: "b" } },
      ...{ loadBalancerClass: "x", externalTrafficPolicy: "Local" },
    },
    serviceAccountName: "envoy",
    shutdownManager: { image: "ours", serverPort: 8091, drainTime: 600, drainStrategy: "immediate", resources },
    initManager: { image: "ours", resources },
    ...await podFields(cluster),
  };
}
