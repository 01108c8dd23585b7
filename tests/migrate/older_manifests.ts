/**
 * What MARIN3R's `config/default` holds, as users apply it: kinds, rights, manager and webhook, and whom the API server asks; without the
 * objects of cert-manager.io.
 * @module
 */
import { EARLIER_KINDS, type EarlierSchema } from "../../src/migrate/mod.ts";

/** Where it is installed. */
export const SYSTEM = "marin3r-system";
/** Its image, of which a stand-in runs. */
export const OLDER_IMAGE = "example.com/marin3r";

const OPEN: EarlierSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const TEXT = { type: "string" };
const TIME = { type: "string", format: "date-time" };
const CONDITION = {
  type: "object",
  required: ["lastTransitionTime", "message", "reason", "status", "type"],
  properties: {
    lastTransitionTime: TIME,
    message: { type: "string", maxLength: 32_768 },
    observedGeneration: { type: "integer", format: "int64", minimum: 0 },
    reason: { type: "string", minLength: 1, maxLength: 1024, pattern: "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$" },
    status: { type: "string", enum: ["True", "False", "Unknown"] },
    type: { type: "string", maxLength: 316 },
  },
};
const CONDITIONS = { type: "array", items: CONDITION };
const REFERENCE = object(["apiVersion", "kind", "name", "namespace", "uid", "fieldPath", "resourceVersion"], TEXT);
const TYPES = [
  ...["endpoints", "clusters", "routes", "scopedRoutes", "listeners", "secrets", "runtimes", "extensionConfigs"],
];
const WORKLOAD = { deploymentName: TEXT, deploymentStatus: OPEN };

const STATUSES: Readonly<Record<keyof typeof EARLIER_KINDS, object>> = {
  EnvoyConfig: {
    ...{ cacheState: TEXT, publishedVersion: TEXT, desiredVersion: TEXT, conditions: CONDITIONS },
    revisions: { type: "array", items: { type: "object", properties: { version: TEXT, ref: REFERENCE } } },
  },
  EnvoyConfigRevision: {
    ...{ published: { type: "boolean" }, lastPublishedAt: TIME, tainted: { type: "boolean" }, conditions: CONDITIONS },
    providesVersions: object(TYPES, TEXT),
  },
  DiscoveryService: WORKLOAD,
  DiscoveryServiceCertificate: {
    ...{ ready: { type: "boolean" }, notBefore: TIME, notAfter: TIME, certificateHash: TEXT, conditions: CONDITIONS },
  },
  EnvoyDeployment: WORKLOAD,
};

function object(names: readonly string[], schema: object) {
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, schema])) };
}

/** MARIN3R's CRDs. */
export const OLDER_CRDS: readonly object[] = Object.values(EARLIER_KINDS).map(({ apiVersion, kind, spec }) => {
  const [group, name] = apiVersion.split("/");
  const singular = kind.toLowerCase();
  const status = { type: "object", properties: STATUSES[kind] };
  const properties = { apiVersion: TEXT, kind: TEXT, metadata: { type: "object" }, spec, status };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${singular}s.${group}` },
    spec: {
      ...{ group, scope: "Namespaced", names: { kind, listKind: `${kind}List`, plural: `${singular}s`, singular } },
      versions: [{
        ...{ name, served: true, storage: true, subresources: { status: {} } },
        schema: { openAPIV3Schema: { type: "object", properties } },
      }],
    },
  };
});

/** The pods of manager and webhook. */
export const OLDER_PODS = [
  podOf("manager", ["operator", "--leader-elect"]),
  podOf("webhook", ["webhook", "--tls-dir=/tmp/k8s-webhook-server/serving-certs"]),
];

/** Manager and webhook with their rights, in their namespace. */
export const OLDER_PROGRAMS: readonly object[] = [
  {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: SYSTEM, labels: { "control-plane": "controller-manager" } },
  },
  { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "marin3r-controller-manager", namespace: SYSTEM } },
  ...role("ClusterRole", "marin3r-manager-role", [
    right("apps", ["deployments"], ["get", "list", "watch", "create", "update", "patch", "delete"]),
    right("", ["secrets"], ["get", "list", "watch", "create", "update", "patch"]),
    right("marin3r.3scale.net", ["*"], ["*"]),
    right("operator.marin3r.3scale.net", ["*"], ["*"]),
  ]),
  ...role("Role", "marin3r-leader-election-role", [
    right("coordination.k8s.io", ["leases"], ["get", "list", "watch", "create", "update", "patch", "delete"]),
  ]),
  ...OLDER_PODS.map(deploymentOf),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "marin3r-webhook-service", namespace: SYSTEM },
    spec: { ports: [{ port: 443, targetPort: 9443 }], selector: { "control-plane": "controller-webhook" } },
  },
];

/** Whom the API server asks about pods and objects. */
export const OLDER_WEBHOOKS: readonly object[] = [
  asked("Mutating", [
    entry("sidecar-injector.marin3r.3scale.net", "/pod-v1-mutate", { resources: ["pods"], operations: ["CREATE"] }),
  ]),
  asked("Validating", [
    entry("envoyconfig.marin3r.3scale.net-v1alpha1", "/validate-marin3r-3scale-net-v1alpha1-envoyconfig", {
      ...{ group: "marin3r.3scale.net", version: "v1alpha1", resources: ["envoyconfigs"] },
    }),
    entry(
      "envoydeployment.operator.marin3r.3scale.net",
      "/validate-operator-marin3r-3scale-net-v1alpha1-envoydeployment",
      { group: "operator.marin3r.3scale.net", version: "v1alpha1", resources: ["envoydeployments"] },
    ),
  ]),
];

/** What MARIN3R lets a discovery service do. */
export const OLDER_RULES: readonly object[] = [
  right("", ["secrets", "pods"], ["get", "list", "watch"]),
  right("marin3r.3scale.net", ["*"], ["*"]),
  right("discovery.k8s.io", ["endpointslices"], ["get", "list", "watch"]),
];

function right(apiGroup: string, resources: readonly string[], verbs: readonly string[]) {
  return { apiGroups: [apiGroup], resources, verbs };
}

function role(kind: "Role" | "ClusterRole", name: string, rules: readonly object[]): object[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const namespace = kind === "Role" ? { namespace: SYSTEM } : {};
  return [
    { apiVersion, kind, metadata: { name, ...namespace }, rules },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata: { name: name.replace(/role$/, "rolebinding"), ...namespace },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects: [{ kind: "ServiceAccount", name: "marin3r-controller-manager", namespace: SYSTEM }],
    },
  ];
}

function podOf(name: "manager" | "webhook", args: readonly string[]) {
  const container = {
    ...{ name, image: `${OLDER_IMAGE}:old`, args, imagePullPolicy: "IfNotPresent" },
    readinessProbe: { httpGet: { path: "/readyz", port: 8081 }, periodSeconds: 10 },
    ...(name === "manager" && { securityContext: { allowPrivilegeEscalation: false } }),
  };
  const security = name === "manager" ? { securityContext: { runAsNonRoot: true } } : {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { "control-plane": `controller-${name}` } },
    spec: { serviceAccountName: "marin3r-controller-manager", containers: [container], ...security },
  };
}

function deploymentOf({ metadata: { name, labels }, spec }: ReturnType<typeof podOf>) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: `marin3r-controller-${name}`, namespace: SYSTEM, labels },
    spec: {
      replicas: name === "manager" ? 1 : 2,
      ...{ selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    },
  };
}

function asked(kind: "Mutating" | "Validating", webhooks: readonly object[]): object {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: {
      name: `marin3r-${kind.toLowerCase()}-webhook-configuration`,
      annotations: { "cert-manager.io/inject-ca-from": `${SYSTEM}/marin3r-serving-cert` },
    },
    webhooks,
  };
}

function entry(
  name: string,
  path: string,
  { group = "", version = "v1", resources, operations = ["CREATE", "UPDATE"] }: {
    group?: string;
    version?: string;
    resources: readonly string[];
    operations?: readonly string[];
  },
) {
  return {
    ...{ name, admissionReviewVersions: ["v1"], sideEffects: "None", failurePolicy: "Fail" },
    clientConfig: { service: { name: "marin3r-webhook-service", namespace: SYSTEM, path } },
    rules: [{ apiGroups: [group], apiVersions: [version], operations, resources }],
    ...(resources.includes("pods") && { objectSelector: { matchLabels: { "marin3r.3scale.net/status": "enabled" } } }),
  };
}
