/**
 * What users can say in MARIN3R's kinds, as the schemas of its CRDs have it: fields, choices, and what is required.
 * @module
 */
import { API_VERSION } from "../../api/mod.ts";
import { OPERATOR_API_VERSION } from "../../api/operator/mod.ts";

/** A structural schema of Kubernetes, as far as those of MARIN3R go. */
export interface EarlierSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, EarlierSchema>>;
  readonly required?: readonly string[];
  readonly items?: EarlierSchema;
  readonly additionalProperties?: EarlierSchema;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-map-type"?: "atomic";
}

/** A kind with the schema that its `spec` had. */
export interface EarlierKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: EarlierSchema;
}

const TEXT: EarlierSchema = { type: "string" };
const NUMBER: EarlierSchema = { type: "integer" };
const YES_OR_NO: EarlierSchema = { type: "boolean" };
const NUMBER_OR_TEXT: EarlierSchema = { "x-kubernetes-int-or-string": true };
/** Types of Kubernetes, and what Envoy reads: whatever is in there stays. */
const OPEN: EarlierSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function object(properties: Record<string, EarlierSchema>, required: readonly string[] = []): EarlierSchema {
  return { type: "object", properties, ...(required.length > 0 && { required }) };
}

function list(items: EarlierSchema): EarlierSchema {
  return { type: "array", items };
}

function choice(...names: readonly string[]): EarlierSchema {
  return { type: "string", enum: names };
}

function allOf(fields: Record<string, EarlierSchema>): EarlierSchema {
  return object(fields, Object.keys(fields));
}

const SELECTOR = object({
  matchLabels: { type: "object", additionalProperties: TEXT },
  matchExpressions: list(object({ key: TEXT, operator: TEXT, values: list(TEXT) }, ["key", "operator"])),
});
const RESOURCE = object({
  type: choice("listener", "route", "scopedRoute", "cluster", "endpoint", "secret", "runtime", "extensionConfig"),
  value: OPEN,
  generateFromTlsSecret: TEXT,
  generateFromOpaqueSecret: allOf({ name: TEXT, key: TEXT, alias: TEXT }),
  generateFromEndpointSlices: allOf({ selector: SELECTOR, clusterName: TEXT, targetPort: TEXT }),
  blueprint: choice("tlsCertificate", "validationContext"),
}, ["type"]);
const VALUES = list(object({ name: TEXT, value: TEXT }, ["value"]));
const RESOURCES = {
  envoyResources: object({
    ...{ endpoints: VALUES, clusters: VALUES, routes: VALUES, scopedRoutes: VALUES, listeners: VALUES },
    ...{ runtimes: VALUES, extensionConfigs: VALUES },
    secrets: list(object({ name: TEXT, ref: object({ name: TEXT, namespace: TEXT }) }, ["name"])),
  }),
  resources: list(RESOURCE),
};

const ENVOY_CONFIG = object({
  ...{ nodeID: TEXT, serialization: choice("json", "yaml"), envoyAPI: choice("v3"), ...RESOURCES },
}, ["nodeID"]);
const ENVOY_CONFIG_REVISION = object({
  ...{ nodeID: TEXT, version: TEXT, serialization: choice("json", "b64json", "yaml"), envoyAPI: choice("v3") },
  ...RESOURCES,
}, ["nodeID", "version"]);

const KEPT_CERTIFICATE = allOf({ secretName: TEXT, duration: TEXT });
const DISCOVERY_SERVICE = object({
  ...{ image: TEXT, debug: YES_OR_NO, resources: OPEN, podPriorityClass: TEXT },
  ...{ xdsServerPort: NUMBER, metricsPort: NUMBER, probePort: NUMBER },
  pkiConfg: allOf({ rootCertificateAuthority: KEPT_CERTIFICATE, serverCertificate: KEPT_CERTIFICATE }),
  serviceConfig: object({ name: TEXT, type: TEXT }),
});

const SECRET = { ...object({ name: TEXT, namespace: TEXT }), "x-kubernetes-map-type": "atomic" } as const;
const DISCOVERY_SERVICE_CERTIFICATE = object({
  ...{ commonName: TEXT, server: YES_OR_NO, isCA: YES_OR_NO, validFor: NUMBER, hosts: list(TEXT) },
  signer: object({ selfSigned: object({}), caSigned: allOf({ caSecretRef: SECRET }) }),
  secretRef: SECRET,
  certificateRenewal: allOf({ enabled: YES_OR_NO }),
}, ["commonName", "validFor", "signer", "secretRef"]);

const PROBE = allOf({
  ...{ initialDelaySeconds: NUMBER, timeoutSeconds: NUMBER, periodSeconds: NUMBER },
  ...{ successThreshold: NUMBER, failureThreshold: NUMBER },
});
const ENVOY_DEPLOYMENT = object({
  ...{ envoyConfigRef: TEXT, discoveryServiceRef: TEXT, clusterID: TEXT, image: TEXT, resources: OPEN, duration: TEXT },
  ports: list(object({ name: TEXT, port: NUMBER, protocol: TEXT }, ["name", "port"])),
  ...{ extraArgs: list(TEXT), adminPort: NUMBER, adminAccessLogPath: TEXT, affinity: OPEN },
  replicas: object({
    static: NUMBER,
    dynamic: object({ minReplicas: NUMBER, maxReplicas: NUMBER, metrics: list(OPEN), behavior: OPEN }, ["maxReplicas"]),
  }),
  ...{ livenessProbe: PROBE, readinessProbe: PROBE },
  podDisruptionBudget: object({ minAvailable: NUMBER_OR_TEXT, maxUnavailable: NUMBER_OR_TEXT }),
  shutdownManager: object({
    ...{ image: TEXT, serverPort: NUMBER, drainTime: NUMBER, drainStrategy: choice("gradual", "immediate") },
  }),
  initManager: object({ image: TEXT }),
}, ["envoyConfigRef", "discoveryServiceRef"]);

/** MARIN3R's kinds, by their name. */
export const EARLIER_KINDS = {
  EnvoyConfig: { apiVersion: API_VERSION, kind: "EnvoyConfig", spec: ENVOY_CONFIG },
  EnvoyConfigRevision: { apiVersion: API_VERSION, kind: "EnvoyConfigRevision", spec: ENVOY_CONFIG_REVISION },
  DiscoveryService: { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", spec: DISCOVERY_SERVICE },
  DiscoveryServiceCertificate: {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    spec: DISCOVERY_SERVICE_CERTIFICATE,
  },
  EnvoyDeployment: { apiVersion: OPERATOR_API_VERSION, kind: "EnvoyDeployment", spec: ENVOY_DEPLOYMENT },
} as const satisfies Readonly<Record<string, EarlierKind>>;
