/**
 * The CRDs as earlier programs brought them, by what they admitted: the fields and enums of ours, no limit on anything, nothing
 * required but a few names. Older releases did not even bound conditions, so nothing of them is bounded here.
 * @module
 */

const TEXT = { type: "string" };
const OPEN = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function object(properties: Record<string, object>, required: readonly string[] = []) {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function list(items: object) {
  return { type: "array", items };
}

const SELECTOR = object({
  matchLabels: { type: "object", additionalProperties: TEXT },
  matchExpressions: list(object({ key: TEXT, operator: TEXT, values: list(TEXT) }, ["key", "operator"])),
});

const RESOURCE = object({
  type: {
    type: "string",
    enum: ["listener", "route", "scopedRoute", "cluster", "endpoint", "secret", "runtime", "extensionConfig"],
  },
  value: OPEN,
  generateFromTlsSecret: TEXT,
  generateFromOpaqueSecret: object({ name: TEXT, key: TEXT, alias: TEXT }, ["name", "key", "alias"]),
  generateFromEndpointSlices: object({ selector: SELECTOR, clusterName: TEXT, targetPort: TEXT }, [
    "selector",
    "clusterName",
    "targetPort",
  ]),
  blueprint: { type: "string", enum: ["tlsCertificate", "validationContext"] },
}, ["type"]);

const VALUES = list(object({ name: TEXT, value: TEXT }, ["value"]));
const ENVOY_RESOURCES = object({
  endpoints: VALUES,
  clusters: VALUES,
  routes: VALUES,
  scopedRoutes: VALUES,
  listeners: VALUES,
  runtimes: VALUES,
  extensionConfigs: VALUES,
  secrets: list(object({ name: TEXT, ref: object({ name: TEXT, namespace: TEXT }) }, ["name"])),
});

const REFERENCE = object(
  Object.fromEntries(
    ["apiVersion", "kind", "name", "namespace", "uid", "fieldPath", "resourceVersion"].map((name) => [name, TEXT]),
  ),
);
const CONDITIONS = list(object({
  type: TEXT,
  status: TEXT,
  reason: TEXT,
  message: TEXT,
  lastTransitionTime: { type: "string", format: "date-time" },
}, ["type", "status"]));

const ENVOY_API = { type: "string", enum: ["v3"] };
const TYPES = [
  ...["endpoints", "clusters", "routes", "scopedRoutes", "listeners", "secrets", "runtimes", "extensionConfigs"],
];

/** The earlier CRD of EnvoyConfig. */
export const EARLIER_ENVOY_CONFIG = crd("EnvoyConfig", {
  spec: object({
    nodeID: TEXT,
    serialization: { type: "string", enum: ["json", "yaml"] },
    envoyAPI: ENVOY_API,
    envoyResources: ENVOY_RESOURCES,
    resources: list(RESOURCE),
  }, ["nodeID"]),
  status: object({
    cacheState: TEXT,
    publishedVersion: TEXT,
    desiredVersion: TEXT,
    revisions: list(object({ version: TEXT, ref: REFERENCE }, ["version", "ref"])),
    conditions: CONDITIONS,
  }),
});

/** The earlier CRD of EnvoyConfigRevision. */
export const EARLIER_ENVOY_CONFIG_REVISION = crd("EnvoyConfigRevision", {
  spec: object({
    nodeID: TEXT,
    version: TEXT,
    envoyAPI: ENVOY_API,
    serialization: { type: "string", enum: ["json", "b64json", "yaml"] },
    envoyResources: ENVOY_RESOURCES,
    resources: list(RESOURCE),
  }, ["nodeID", "version"]),
  status: object({
    published: { type: "boolean" },
    lastPublishedAt: { type: "string", format: "date-time" },
    tainted: { type: "boolean" },
    providesVersions: object(Object.fromEntries(TYPES.map((name) => [name, TEXT]))),
    conditions: CONDITIONS,
  }),
});

function crd(kind: string, { spec, status }: { spec: object; status: object }) {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.marin3r.3scale.net` },
    spec: {
      group: "marin3r.3scale.net",
      scope: "Namespaced",
      names: { kind, listKind: `${kind}List`, plural, singular },
      versions: [{
        name: "v1alpha1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: object({ apiVersion: TEXT, kind: TEXT, metadata: { type: "object" }, spec, status }),
        },
      }],
    },
  };
}
