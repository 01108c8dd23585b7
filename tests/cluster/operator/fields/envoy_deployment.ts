import type { FieldTable } from "./field_case.ts";
import { POD_CASES } from "./pod_fields.ts";

/** What every EnvoyDeployment says that a field is tried out with: no pods, for there is no node. */
export const COMMON = {
  envoyConfigRef: "edge",
  discoveryServiceRef: "ds",
  replicas: { static: 0 },
  ports: [{ name: "http", port: 8080 }],
};

const DYNAMIC = { replicas: { dynamic: { minReplicas: 1, maxReplicas: 5 } } };
const PROBE = { initialDelaySeconds: 1, timeoutSeconds: 2, periodSeconds: 3, successThreshold: 1, failureThreshold: 5 };
const RESOURCES = { requests: { cpu: "20m", memory: "48Mi" } };

/** Who gives one number of a probe gives all. */
function probeCases(probe: string, more: FieldTable = {}): FieldTable {
  const given = { [probe]: PROBE };
  const all: FieldTable = {
    initialDelaySeconds: { to: 11 },
    timeoutSeconds: { to: 12 },
    periodSeconds: { to: 13 },
    successThreshold: { to: 4 },
    failureThreshold: { to: 15 },
    ...more,
  };
  return Object.fromEntries(Object.entries(all).map(([field, one]) => [`${probe}.${field}`, { given, ...one }]));
}

/** The fields below one that has to be there for them, or that alone says something already. */
function below(parent: string, given: object, cases: FieldTable): FieldTable {
  return Object.fromEntries(
    Object.entries(cases).map(([field, one]) => [`${parent}.${field}`, { given: { [parent]: given }, ...one }]),
  );
}

/** All fields of an EnvoyDeployment, and those of its objects that alone say something. */
export const ENVOY_DEPLOYMENT_CASES: FieldTable = {
  envoyConfigRef: { to: "other" },
  // It does not serve, for another one is older.
  discoveryServiceRef: { to: "second", reason: "CertificateNotReady" },
  clusterID: { to: "shop" },
  // With nothing said about replicas, which a DaemonSet has none of. Either stays until the other one's pods are ready.
  workload: { to: "DaemonSet", given: { replicas: undefined }, pods: "ready" },
  "ports[].name": { to: "web", given: { service: {} } },
  "ports[].port": { to: 9090, given: { service: {} } },
  "ports[].protocol": { to: "UDP", given: { service: {} } },
  image: { to: "registry.example.com/envoy:2" },
  resources: { to: RESOURCES },
  duration: { to: "24h" },
  extraArgs: { to: ["--component-log-level", "upstream:debug"] },
  readiness: { to: "started" },
  adminPort: { to: 9902, given: { shutdownManager: {} } },
  adminAccessLogPath: { to: "/dev/stdout" },
  replicas: { to: undefined },
  "replicas.static": { to: 2 },
  "replicas.dynamic.minReplicas": { to: 2, given: DYNAMIC },
  "replicas.dynamic.maxReplicas": { to: 6, given: DYNAMIC },
  "replicas.dynamic.metrics": {
    to: [{ type: "Resource", resource: { name: "memory", target: { type: "AverageValue", averageValue: "64Mi" } } }],
    given: DYNAMIC,
  },
  "replicas.dynamic.behavior": {
    to: { scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: "Pods", value: 1, periodSeconds: 30 }] } },
    given: DYNAMIC,
  },
  // One is the only number that Kubernetes takes here.
  ...probeCases("livenessProbe", { successThreshold: { to: 4, reason: "WriteRefused" } }),
  ...probeCases("readinessProbe"),
  "podDisruptionBudget.minAvailable": { to: 1 },
  "podDisruptionBudget.maxUnavailable": { to: "50%" },
  service: { to: {} },
  ...below("service", {}, {
    name: { to: "front" },
    type: { to: "Headless" },
    annotations: { to: { "example.com/balancer": "internal" } },
    labels: { to: { "example.com/team": "edge" } },
    loadBalancerClass: { to: "example.com/internal", given: { service: { type: "LoadBalancer" } } },
    externalTrafficPolicy: { to: "Local", given: { service: { type: "NodePort" } } },
  }),
  serviceAccountName: { to: "edge" },
  shutdownManager: { to: {} },
  ...below("shutdownManager", {}, {
    image: { to: "registry.example.com/shutdown:2" },
    serverPort: { to: 8091 },
    drainTime: { to: 60 },
    drainStrategy: { to: "immediate" },
    resources: { to: RESOURCES },
  }),
  "initManager.image": { to: "registry.example.com/init:2" },
  "initManager.resources": { to: RESOURCES },
  ...POD_CASES,
};
