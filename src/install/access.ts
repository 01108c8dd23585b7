import { DISCOVERY_SERVICE_ROLE } from "../api/operator/mod.ts";
import type { KubeObject } from "./kube_object.ts";
import { clusterWideName, installLabels, type Part, partName } from "./names.ts";
import type { InstallOptions } from "./options.ts";
import { DISCOVERY_SERVICE_RIGHTS, type Right, type Rights } from "./rights.ts";

const API_VERSION = "rbac.authorization.k8s.io/v1";
const API_GROUP = "rbac.authorization.k8s.io";

/**
 * The account of a part and what it may do: as a Role in each of the namespaces that are looked after, or as a ClusterRole for all of
 * them. `rights` are those of every role that runs in its pods.
 */
export function accessOf(part: Part, rights: readonly Rights[], options: InstallOptions): KubeObject[] {
  const { namespace, watchNamespaces } = options;
  const name = partName(part);
  const all = (where: keyof Rights) => mergeRights(rights.flatMap((one) => one[where]));
  const bound = { part, account: { name, namespace } };
  const everywhere = watchNamespaces.length === 0;
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace, labels: installLabels(part) },
    },
    ...clusterRole(clusterWideName(name, options), [...all("cluster"), ...(everywhere ? all("watched") : [])], bound),
    ...watchNamespaces.flatMap((watched) => role({ name, namespace: watched }, all("watched"), bound)),
    // Its own namespace may be one of those that are looked after.
    ...role({ name: `${name}-own`, namespace }, all("own"), bound),
  ];
}

/** The ClusterRole that the operator binds for each discovery service. */
export function discoveryServiceRole(): KubeObject {
  const metadata = { name: DISCOVERY_SERVICE_ROLE, labels: installLabels() };
  return { apiVersion: API_VERSION, kind: "ClusterRole", metadata, rules: rulesOf(DISCOVERY_SERVICE_RIGHTS) };
}

/** The rules as Kubernetes has them. */
export function rulesOf(rights: readonly Right[]): Record<string, unknown>[] {
  return rights.map(({ apiGroups, resources, resourceNames, verbs }) => ({
    apiGroups: [...apiGroups],
    resources: [...resources],
    ...(resourceNames && { resourceNames: [...resourceNames] }),
    verbs: [...verbs],
  }));
}

/** Each right once. */
function mergeRights(rights: readonly Right[]): Right[] {
  return [...new Map(rights.map((right) => [JSON.stringify(rulesOf([right])), right])).values()];
}

interface Bound {
  readonly part: Part;
  readonly account: { readonly name: string; readonly namespace: string };
}

function clusterRole(name: string, rights: readonly Right[], bound: Bound): KubeObject[] {
  return pairOf("ClusterRole", { name }, { rights, bound });
}

function role(
  metadata: { readonly name: string; readonly namespace: string },
  rights: readonly Right[],
  bound: Bound,
): KubeObject[] {
  return pairOf("Role", metadata, { rights, bound });
}

/** A role and its binding, which have one name; nothing where there is nothing to allow. */
function pairOf(
  kind: "Role" | "ClusterRole",
  named: { readonly name: string; readonly namespace?: string },
  { rights, bound: { part, account } }: { rights: readonly Right[]; bound: Bound },
): KubeObject[] {
  if (rights.length === 0) return [];
  const metadata = { ...named, labels: installLabels(part) };
  return [
    { apiVersion: API_VERSION, kind, metadata, rules: rulesOf(rights) },
    {
      apiVersion: API_VERSION,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: API_GROUP, kind, name: named.name },
      subjects: [{ kind: "ServiceAccount", ...account }],
    },
  ];
}
