import { X509Certificate } from "node:crypto";
import type { ControlPlane } from "../../control_plane/mod.ts";

/** Where objects of a kind are that the operator makes. */
interface OwnedPlace {
  readonly api: string;
  readonly plural: string;
}

/** Every kind that the operator makes objects of. */
export const OWNED_KINDS: Readonly<Record<string, OwnedPlace>> = {
  ServiceAccount: { api: "/api/v1", plural: "serviceaccounts" },
  Service: { api: "/api/v1", plural: "services" },
  Secret: { api: "/api/v1", plural: "secrets" },
  ConfigMap: { api: "/api/v1", plural: "configmaps" },
  Deployment: { api: "/apis/apps/v1", plural: "deployments" },
  DaemonSet: { api: "/apis/apps/v1", plural: "daemonsets" },
  PodDisruptionBudget: { api: "/apis/policy/v1", plural: "poddisruptionbudgets" },
  HorizontalPodAutoscaler: { api: "/apis/autoscaling/v2", plural: "horizontalpodautoscalers" },
  RoleBinding: { api: "/apis/rbac.authorization.k8s.io/v1", plural: "rolebindings" },
  DiscoveryServiceCertificate: {
    api: "/apis/operator.marin3r.3scale.net/v1alpha1",
    plural: "discoveryservicecertificates",
  },
};

/** An object as the API server has it. */
export interface StoredObject {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly { readonly kind: string; readonly name: string; readonly uid: string }[];
  };
  readonly [field: string]: unknown;
}

/** Objects by `Kind NAME`, each as the text of its fields by their paths. */
export type Shown = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** Everything of these kinds that one of ours owns, wherever it is. */
export async function ownedObjects(cluster: ControlPlane): Promise<StoredObject[]> {
  const lists = await Promise.all(
    Object.entries(OWNED_KINDS).map(async ([kind, { api, plural }]) => {
      const { items } = await cluster.request("GET", `${api}/${plural}`) as { items: StoredObject[] }; // a list, by its path
      return items.map((item) => ({ ...item, kind }));
    }),
  );
  return lists.flat().filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ kind }) => /^(DiscoveryService|DiscoveryServiceCertificate|EnvoyDeployment)$/.test(kind))
  );
}

/** Objects without what differs from one run to the next. */
export function shownOf(objects: readonly StoredObject[]): Shown {
  const scaled = objects.some(({ kind }) => kind === "HorizontalPodAutoscaler");
  return new Map(objects.map((object) => {
    const { kind, metadata, apiVersion: _, status: __, ...content } = object;
    const { name, labels, annotations, ownerReferences } = metadata;
    const owners = ownerReferences?.map(({ uid: _, ...reference }) => reference);
    const shown = {
      ...masked(kind, scaled ? withoutReplicas(content) : content),
      metadata: { labels, annotations, owners },
    };
    const lines = linesOf(shown, "").filter(([path]) => !IGNORED.some((ignored) => path.includes(ignored)));
    return [`${kind} ${name}`, new Map(lines.sort())];
  }));
}

/** What differs between two times, per object: `PATH: BEFORE → AFTER`; of an object that came or went, all that it says. */
export function differences(before: Shown, after: Shown): Record<string, string[]> {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  const told = names.map((name) => [name, changesOf(before.get(name), after.get(name))] as const);
  return Object.fromEntries(told.filter(([, changes]) => changes.length > 0));
}

/** Given by the API server or by other controllers, or with a certificate. */
const IGNORED = [
  ...["clusterIPs", "nodePort", "healthCheckNodePort", "deployment.kubernetes.io/revision"],
  ...["deprecated.daemonset.template.generation", "marin3r.3scale.net/server-certificate-hash"],
];

function changesOf(
  before: ReadonlyMap<string, string> | undefined,
  after: ReadonlyMap<string, string> | undefined,
): string[] {
  if (!before || !after) {
    const [word, there = new Map<string, string>()] = before ? ["gone", before] : ["made", after];
    const said = [...there].filter(([path]) => !path.startsWith("metadata.owners")).map((line) => line.join(": "));
    return [word, ...said];
  }
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  return paths.filter((path) => before.get(path) !== after.get(path))
    .map((path) => `${path}: ${before.get(path) ?? "nothing"} → ${after.get(path) ?? "nothing"}`);
}

/** Certificates as what they say, addresses as whether there is one. */
function masked(kind: string, content: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (kind === "Secret") {
    const data = content["data"] as Readonly<Record<string, string>>; // by its kind
    return {
      type: content["type"],
      keys: Object.keys(data).sort().join(),
      certificate: factsOf(data["tls.crt"] ?? ""),
    };
  }
  if (kind === "ConfigMap") {
    const { "ca.crt": trusted = "" } = content["data"] as Readonly<Record<string, string>>; // by its kind
    return { roots: trusted.match(/BEGIN CERTIFICATE/g)?.length ?? 0 };
  }
  if (kind !== "Service") return content;
  const spec = content["spec"] as Readonly<Record<string, unknown>>; // by its kind
  return { ...content, spec: { ...spec, clusterIP: spec["clusterIP"] === "None" ? "None" : "an address" } };
}

/** Their number is the autoscaler's. */
function withoutReplicas({ spec, ...content }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (typeof spec !== "object") return content;
  const { replicas: _, ...rest } = spec as Readonly<Record<string, unknown>>; // an object of an object
  return { ...content, spec: rest };
}

function factsOf(encoded: string): object {
  const read = new X509Certificate(atob(encoded));
  const { subject, issuer, subjectAltName, ca, publicKey, keyUsage, validFrom, validTo } = read;
  return {
    ...{ subject, issuer, subjectAltName, ca, key: publicKey.asymmetricKeyType, uses: keyUsage },
    validFor: (Date.parse(validTo) - Date.parse(validFrom)) / 1000,
  };
}

function linesOf(value: unknown, path: string): [string, string][] {
  if (value === undefined) return [];
  if (typeof value !== "object" || value === null) {
    return [[path, JSON.stringify(value).replace(DRAIN_TOKEN, "a token")]];
  }
  const named = Array.isArray(value) && value.every((item) => typeof item?.name === "string");
  const members = Array.isArray(value)
    ? value.map((item, at) => [`${path}[${named ? item.name : at}]`, item] as const)
    : Object.entries(value).map(([name, member]) => [path === "" ? name : `${path}.${name}`, member] as const);
  return members.length === 0
    ? [[path, JSON.stringify(value)]]
    : members.flatMap(([at, member]) => linesOf(member, at));
}

/** Follows from the uid of an object. */
const DRAIN_TOKEN = /\b[0-9a-f]{32}\b/;
