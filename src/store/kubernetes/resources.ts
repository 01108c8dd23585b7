import { ENVOY_CONFIG, ENVOY_CONFIG_REVISION, type KindDefinition } from "../../api/mod.ts";
import { ChanceryError, type ObjectKey, suggest } from "../../base/mod.ts";

/** Where objects of a kind are to be found at the API server. */
export interface Resource {
  /** `v1`, or group and version: `discovery.k8s.io/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The word in the path, e.g. `endpointslices`. */
  readonly plural: string;
  /** Whether objects live in no namespace; default no. */
  readonly clusterScoped?: boolean;
  /** Labels of the objects that are watched; all when absent. What is asked for by name may have others. */
  readonly selector?: Readonly<Record<string, string>>;
  /** Name of the only object that is watched: whoever may look at one of a kind alone has no right to the others. */
  readonly named?: string;
  /** Namespaces whose objects are watched besides those that all kinds are watched in. */
  readonly alsoIn?: readonly string[];
  /** Whether those that are watched are kept with what is known of who set which field. */
  readonly keepManagedFields?: boolean;
}

/** Kinds that need no announcing. */
const KNOWN: readonly Resource[] = [
  resourceOf(ENVOY_CONFIG),
  resourceOf(ENVOY_CONFIG_REVISION),
  { apiVersion: "v1", kind: "Secret", plural: "secrets" },
  { apiVersion: "v1", kind: "ConfigMap", plural: "configmaps" },
  { apiVersion: "v1", kind: "Service", plural: "services" },
  { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" },
  { apiVersion: "v1", kind: "Pod", plural: "pods" },
  { apiVersion: "v1", kind: "Namespace", plural: "namespaces", clusterScoped: true },
  { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", plural: "endpointslices" },
  { apiVersion: "coordination.k8s.io/v1", kind: "Lease", plural: "leases" },
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments" },
  { apiVersion: "apps/v1", kind: "DaemonSet", plural: "daemonsets" },
  { apiVersion: "policy/v1", kind: "PodDisruptionBudget", plural: "poddisruptionbudgets" },
  { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", plural: "horizontalpodautoscalers" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", plural: "roles" },
  { apiVersion: "rbac.authorization.k8s.io/v1", kind: "RoleBinding", plural: "rolebindings" },
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    plural: "customresourcedefinitions",
    clusterScoped: true,
  },
];

/** The resource of a kind that needs no announcing; throws `TypeError` for any other. */
export function knownResource(kind: string): Resource {
  const resource = KNOWN.find((known) => known.kind === kind);
  if (!resource) throw new TypeError(`Kind "${kind}" is not known`);
  return resource;
}

/** The resource of one of our own kinds. */
export function resourceOf({ group, version, kind, plural }: KindDefinition): Resource {
  return { apiVersion: `${group}/${version}`, kind, plural };
}

/** Kinds by name: those that are known and those that were announced. */
export class Resources {
  readonly #byKind: ReadonlyMap<string, Resource>;

  constructor(more: readonly Resource[] = []) {
    this.#byKind = new Map([...KNOWN, ...more].map((resource) => [resource.kind, resource]));
  }

  /** Throws `invalid-input` for a kind nobody announced. */
  of(kind: string): Resource {
    const resource = this.#byKind.get(kind);
    if (resource) return resource;
    const near = suggest(kind, this.#byKind.keys());
    const hint = near ? `, did you mean "${near}"?` : "";
    throw new ChanceryError("invalid-input", `Cannot find kind ${JSON.stringify(kind)} at the API server${hint}`);
  }
}

/** Path of a kind in a namespace, or everywhere when it is `undefined`. */
export function collectionPath({ apiVersion, plural, clusterScoped }: Resource, namespace: string | undefined): string {
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  return namespace === undefined || clusterScoped
    ? `${root}/${plural}`
    : `${root}/namespaces/${encodeURIComponent(namespace)}/${plural}`;
}

/** Path of one object, or of its subresource. */
export function objectPath(resource: Resource, { namespace, name }: ObjectKey, subresource?: "status"): string {
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}
