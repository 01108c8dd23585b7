import { ENVOY_CONFIG, ENVOY_CONFIG_REVISION, type KindDefinition } from "../api/mod.ts";
import { DISCOVERY_SERVICE, DISCOVERY_SERVICE_CERTIFICATE, ENVOY_DEPLOYMENT } from "../api/operator/mod.ts";
import { VIRTUAL_SERVICE } from "../api/virtual_service/mod.ts";
import type { KubeObject } from "./kube_object.ts";
/** Kinds that people write. */
const WRITTEN: readonly KindDefinition[] = [
  ENVOY_CONFIG,
  DISCOVERY_SERVICE,
  DISCOVERY_SERVICE_CERTIFICATE,
  ENVOY_DEPLOYMENT,
  VIRTUAL_SERVICE,
];

/** Kinds that only we write. */
const KEPT: readonly KindDefinition[] = [ENVOY_CONFIG_REVISION];

/** Who lives: `chancery status` tells when no replica of a discovery service does. */
const LEASES = { apiGroups: ["coordination.k8s.io"], resources: ["leases"] };

const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch", "delete"];

/**
 * What people may do with our kinds. Each adds to a role that Kubernetes brings along, so that whoever may see, edit or administer a
 * namespace may do so with our objects in it, too.
 */
export function userRoles(): KubeObject[] {
  return [
    role("view", [
      ...rules([...WRITTEN, ...KEPT], READ),
      ...rules(WRITTEN.filter(({ scale }) => scale), ["get"], "scale"),
      { ...LEASES, verbs: READ },
    ]),
    role("edit", [
      ...rules(WRITTEN, WRITE),
      ...rules(WRITTEN.filter(({ scale }) => scale), ["update", "patch"], "scale"),
    ]),
    role("admin", rules(WRITTEN, ["deletecollection"])),
  ];
}

function role(name: "view" | "edit" | "admin", rules: readonly object[]): KubeObject {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: `chancery-${name}`, labels: { [`rbac.authorization.k8s.io/aggregate-to-${name}`]: "true" } },
    rules,
  };
}

/** One rule for each API group. */
function rules(kinds: readonly KindDefinition[], verbs: readonly string[], subresource?: string): object[] {
  const groups = [...new Set(kinds.map(({ group }) => group))];
  return groups.map((group) => ({
    apiGroups: [group],
    resources: kinds.filter((kind) => kind.group === group)
      .map(({ plural }) => subresource === undefined ? plural : `${plural}/${subresource}`),
    verbs,
  }));
}
