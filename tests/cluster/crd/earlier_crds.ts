/**
 * The CRDs as earlier programs brought them, by what they admitted: the fields and enums of ours, no limit on anything, nothing
 * required but a few names. Older releases did not even bound conditions, so nothing of them is bounded here.
 * @module
 */

import { EARLIER_KINDS } from "../../../src/migrate/mod.ts";

const TEXT = { type: "string" };

function object(properties: Record<string, object>, required: readonly string[] = []) {
  return { type: "object", properties, ...(required.length > 0 ? { required } : {}) };
}

function list(items: object) {
  return { type: "array", items };
}

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

const TYPES = [
  ...["endpoints", "clusters", "routes", "scopedRoutes", "listeners", "secrets", "runtimes", "extensionConfigs"],
];

/** The earlier CRD of EnvoyConfig. */
export const EARLIER_ENVOY_CONFIG = crd("EnvoyConfig", {
  spec: EARLIER_KINDS.EnvoyConfig.spec,
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
  spec: EARLIER_KINDS.EnvoyConfigRevision.spec,
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
