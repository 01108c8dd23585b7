/** Where a service account is. */
export interface ServiceAccountName {
  readonly namespace: string;
  readonly name: string;
}

/** A rule of a Role. */
export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

/** How to make a service account. */
export interface ServiceAccountOptions {
  /** Whether the rules hold in every namespace. Default: only in its own. */
  readonly clusterWide?: boolean;
  /** Default one hour. Below ten minutes the token is signed here, since the API server gives none so short. */
  readonly lifetimeSeconds?: number;
}

const RBAC = "rbac.authorization.k8s.io";

/** A service account, a role with just these rules, and what binds them. */
export function accountManifests(
  { namespace, name }: ServiceAccountName,
  rules: readonly PolicyRule[],
  { clusterWide = false }: ServiceAccountOptions,
): object[] {
  const scope = clusterWide ? "Cluster" : "";
  const metadata = clusterWide ? { name: `${namespace}-${name}` } : { name, namespace };
  const apiVersion = `${RBAC}/v1`;
  return [
    { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace } },
    { apiVersion, kind: `${scope}Role`, metadata, rules },
    {
      apiVersion,
      kind: `${scope}RoleBinding`,
      metadata,
      roleRef: { apiGroup: RBAC, kind: `${scope}Role`, name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name, namespace }],
    },
  ];
}

/** The question whether an account may do what a rule says: its first verb with its first resource or path. */
export function accessReview(rule: PolicyRule, { namespace, name }: ServiceAccountName): object {
  const [verb] = rule.verbs;
  const asked = rule.nonResourceURLs
    ? { nonResourceAttributes: { verb, path: rule.nonResourceURLs[0] } }
    : { resourceAttributes: { namespace, verb, ...resourceOf(rule) } };
  return {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SubjectAccessReview",
    spec: { user: `system:serviceaccount:${namespace}:${name}`, ...asked },
  };
}

/** What of a rule can be asked about: its first resource, `pods/log` being a subresource. */
function resourceOf({ apiGroups, resources, resourceNames }: PolicyRule) {
  const [resource, subresource] = (resources?.[0] ?? "*").split("/");
  const name = resourceNames?.[0];
  return {
    group: apiGroups?.[0] ?? "",
    resource,
    ...(subresource ? { subresource } : {}),
    ...(name ? { name } : {}),
  };
}
