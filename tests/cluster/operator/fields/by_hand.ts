import type { ControlPlane } from "../../control_plane/mod.ts";
import { OWNED_KINDS, ownedObjects, type Shown, shownOf, type StoredObject } from "./owned_view.ts";

/** A namespace with an object of every kind that the operator makes. */
export const WORKSHOP = "workshop";

/** What somebody might change of an object of each kind. */
const EDITS: Readonly<Record<string, object>> = {
  ServiceAccount: { metadata: { labels: { "app.kubernetes.io/name": "other" } } },
  Service: { spec: { selector: { "app.kubernetes.io/name": "other" } } },
  Secret: { data: { "ca.crt": btoa("nothing") } },
  ConfigMap: { data: { "ca.crt": "nothing" } },
  Deployment: { spec: { template: { spec: { serviceAccountName: "other" } } } },
  DaemonSet: { spec: { template: { spec: { serviceAccountName: "other" } } } },
  PodDisruptionBudget: { spec: { maxUnavailable: 7 } },
  HorizontalPodAutoscaler: { spec: { maxReplicas: 99 } },
  RoleBinding: { subjects: [] },
  DiscoveryServiceCertificate: { spec: { validFor: 77_777 } },
};

/** What is done to each object by hand. */
export const HANDS: Readonly<Record<string, (workshop: Workshop, object: StoredObject) => Promise<void>>> = {
  "is edited": async (workshop, object) => await workshop.patch(object, EDITS[object.kind]!),
  "loses its owner": async (workshop, object) => await workshop.patch(object, { metadata: { ownerReferences: [] } }),
  "loses the label by which it is watched": async (workshop, object) => {
    // Secrets are watched without one.
    if (object.kind === "Secret") return;
    await workshop.patch(object, { metadata: { labels: { "app.kubernetes.io/managed-by": null } } });
  },
  "is deleted": async (workshop, object) => {
    // A CA that is lost is another one afterwards, which is its own story.
    if (object.metadata.name !== "marin3r-ca-cert-ds") await workshop.remove(object);
  },
};

/** See {@linkcode WORKSHOP}. */
export class Workshop {
  readonly #cluster: ControlPlane;

  constructor(cluster: ControlPlane) {
    this.#cluster = cluster;
  }

  /** What is made there, of all kinds. */
  async objects(): Promise<StoredObject[]> {
    const objects = (await ownedObjects(this.#cluster)).filter(({ metadata }) => metadata.namespace === WORKSHOP);
    const lacking = Object.keys(OWNED_KINDS).filter((kind) => !objects.some((object) => object.kind === kind));
    if (lacking.length > 0) throw new Error(`Cannot find an object of kind ${lacking.join(", ")}`);
    return objects;
  }

  /** What there is now. */
  async shown(): Promise<Shown> {
    return shownOf((await ownedObjects(this.#cluster)).filter(({ metadata }) => metadata.namespace === WORKSHOP));
  }

  async patch(object: StoredObject, body: object): Promise<void> {
    await this.#cluster.request("PATCH", pathOf(object), body, "application/merge-patch+json");
  }

  async remove(object: StoredObject): Promise<void> {
    await this.#cluster.request("DELETE", pathOf(object), { propagationPolicy: "Background" });
  }
}

/** What its users ask for. */
export function workshopManifests(): object[] {
  const metadata = (name: string) => ({ name, namespace: WORKSHOP });
  const own = { apiVersion: "operator.marin3r.3scale.net/v1alpha1" };
  const refs = { envoyConfigRef: "edge", discoveryServiceRef: "ds" };
  return [
    { ...own, kind: "DiscoveryService", metadata: metadata("ds"), spec: { replicas: 0 } },
    {
      apiVersion: "marin3r.3scale.net/v1alpha1",
      kind: "EnvoyConfig",
      metadata: metadata("edge"),
      spec: { nodeID: "edge", envoyResources: {} },
    },
    {
      ...own,
      kind: "EnvoyDeployment",
      metadata: metadata("scaled"),
      spec: {
        ...refs,
        ports: [{ name: "http", port: 8080 }],
        service: {},
        shutdownManager: {},
        podDisruptionBudget: { maxUnavailable: 1 },
        replicas: { dynamic: { minReplicas: 1, maxReplicas: 3 } },
      },
    },
    { ...own, kind: "EnvoyDeployment", metadata: metadata("on-each"), spec: { ...refs, workload: "DaemonSet" } },
  ];
}

function pathOf({ kind, metadata: { namespace, name } }: StoredObject): string {
  const { api, plural } = OWNED_KINDS[kind]!;
  return `${api}/namespaces/${namespace}/${plural}/${name}`;
}
