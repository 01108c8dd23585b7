/**
 * What users do with an installation: each is a flow from what they apply to a request that is served, or to what it leaves.
 * @module
 */
import { MESH_FINALIZER } from "../../../src/api/virtual_service/mod.ts";
import { LABELS } from "../../../src/api/mod.ts";
import { nodeCertificateName, OPERATOR_ANNOTATIONS, ownedLabels } from "../../../src/api/operator/mod.ts";
import { createAuthority } from "../../certificates.ts";
import { envoyConfig, listener, staticCluster, tlsSecretItem } from "../../envoy/harness/mod.ts";
import { isReady, type PodObject, type Scene } from "../node/scene.ts";
import type { InstallSite } from "./install_site.ts";

const OPERATOR_KINDS = "operator.marin3r.3scale.net/v1alpha1";

/** An object as it is looked at here; the status is that of an EnvoyConfig. */
interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation?: number;
    readonly finalizers?: readonly string[];
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly observedGeneration?: number;
    readonly desiredVersion?: string;
    readonly publishedVersion?: string;
  };
}

/** Pods of discovery services. */
export const XDS = "app.kubernetes.io/component=discovery-service";

/** Numbers of a probe that does not keep a test waiting. */
const QUICK = {
  ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 1, successThreshold: 1, failureThreshold: 3 },
};

/** Users of one namespace. */
export class Users {
  readonly #site: InstallSite;
  readonly #scene: Scene;

  constructor(site: InstallSite, namespace: string) {
    this.#site = site;
    this.#scene = site.scene(namespace);
  }

  /** A DiscoveryService of three lines. */
  async discoveryService(spec: object = {}): Promise<void> {
    await this.apply("DiscoveryService", "ds", spec);
  }

  /** An EnvoyDeployment, whose Envoys answer with a text. */
  async envoys(text: string): Promise<void> {
    await this.#configure("edge", [listener("in", { port: 8000, routes: { text } })]);
    await this.apply("EnvoyDeployment", "front", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", readinessProbe: QUICK },
      ports: [{ name: "http", port: 8000 }],
    });
  }

  /** A Deployment whose pods get a sidecar, by which the application is reached. */
  async sidecars(): Promise<void> {
    await this.#configure("app", [
      listener("in", { port: 8001, routes: { cluster: "application" } }),
      staticCluster("application", [8080]),
    ]);
    const labels = { app: "app", "marin3r.3scale.net/status": "enabled" };
    const annotations = { "marin3r.3scale.net/node-id": "app", "marin3r.3scale.net/ports": "http:8001" };
    await this.#cluster([{
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "app", namespace: this.#scene.namespace },
      spec: {
        selector: { matchLabels: { app: "app" } },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [{ name: "echo", image: "echo:1" }] },
        },
      },
    }]);
  }

  /** Waits until a pod of these labels that is ready answers a request, as wished. */
  async answered(selector: string, url: string, wished: (body: string) => boolean = () => true): Promise<void> {
    let said = "";
    await this.#site.until(`${url} to be served by ${selector}`, async () => {
      const pod = (await this.pods(selector)).find(isReady);
      if (!pod) return false;
      const { status, body } = await this.#site.node.request(this.#scene.name(pod.metadata.name), url);
      said = `${status} ${body}`;
      return status === 200 && wished(body);
    }, 90_000).catch((thrown) => {
      throw new Error(`${thrown instanceof Error ? thrown.message : thrown}\nlast answer: ${said}`);
    });
  }

  async pods(selector: string): Promise<PodObject[]> {
    const query = encodeURIComponent(selector);
    return (await this.#scene.get<{ items: PodObject[] }>(`pods?labelSelector=${query}`)).items;
  }

  /** Applies one of the operator's kinds. */
  async apply(kind: string, name: string, spec: object, annotations: object = {}): Promise<void> {
    const metadata = { name, namespace: this.#scene.namespace, annotations };
    await this.#cluster([{ apiVersion: OPERATOR_KINDS, kind, metadata, spec }]);
  }

  /** Makes of an EnvoyDeployment everything that can be asked for besides its pods, and then nothing of it. */
  async companions(): Promise<void> {
    const refs = { envoyConfigRef: "edge", discoveryServiceRef: "ds", nodeSelector: { "no.such": "node" } };
    const ports = [{ name: "http", port: 8000 }];
    const name = "marin3r-envoydeployment-idle";
    const made = [`services/${name}`, `policy/v1/poddisruptionbudgets/${name}`];
    const scaler = `autoscaling/v2/horizontalpodautoscalers/${name}`;
    await this.apply("EnvoyDeployment", "idle", {
      ...{ ...refs, ports, service: {}, podDisruptionBudget: { maxUnavailable: 1 } },
      replicas: { dynamic: { maxReplicas: 2 } },
    });
    for (const path of [...made, scaler]) await this.there(path);
    await this.apply("EnvoyDeployment", "idle", { ...refs, ports, replicas: { static: 0 } });
    for (const path of [...made, scaler]) await this.gone(path);
  }

  /** Lets Envoys run on each node, and then as before: others take their place first. */
  async onEachNode(): Promise<void> {
    const name = "marin3r-envoydeployment-front";
    await this.patch("envoydeployments/front", { spec: { workload: "DaemonSet" } });
    await this.gone(`apps/v1/deployments/${name}`);
    await this.patch("envoydeployments/front", { spec: { workload: null } });
    await this.gone(`apps/v1/daemonsets/${name}`);
  }

  /** So many versions one after another that the first are not kept. */
  async versions(count: number): Promise<void> {
    for (let at = 1; at <= count; at++) {
      await this.#configure("many", [listener("in", { port: 8000, routes: { text: String(at) } })]);
      await this.#published("many");
    }
    await this.#site.until("the first versions to be gone", async () => (await this.#revisions("many")).length < count);
  }

  /** Refers to a Secret with a certificate, and to an EnvoyConfig that is not there. */
  async references(): Promise<void> {
    const { cert, key } = await (await createAuthority()).issue({ commonName: "site" });
    await this.#scene.create({
      kind: "Secret",
      metadata: { name: "site" },
      stringData: { "tls.crt": cert, "tls.key": key },
    });
    await this.#configure("secret", [tlsSecretItem("site")]);
    await this.#published("secret");
    await this.apply("EnvoyDeployment", "lonely", { envoyConfigRef: "none", discoveryServiceRef: "ds" });
    await this.#site.until("an Event about what is missing", async () => {
      const { items } = await this.#scene.get<{ items: { involvedObject: { name: string } }[] }>("events");
      return items.some(({ involvedObject }) => involvedObject.name === "lonely");
    });
  }

  /** Leaves on a revision what MARIN3R has left on its own. */
  async finalizer(): Promise<void> {
    const [revision] = await this.#revisions("edge");
    const path = `marin3r.3scale.net/v1alpha1/envoyconfigrevisions/${revision!.metadata.name}`;
    await this.#scene.patch(path, { metadata: { finalizers: ["finalizer.marin3r.3scale.net"] } });
    await this.#site.until(
      "the finalizer to be taken off",
      async () => (await this.#scene.get<Stored>(path)).metadata.finalizers === undefined,
    );
  }

  /** A VirtualService as l7mp has left it. */
  async virtualService(): Promise<void> {
    const path = "servicemesh.l7mp.io/v1/virtualservices/app";
    const metadata = { name: "app", namespace: this.#scene.namespace, finalizers: [MESH_FINALIZER] };
    const listeners = [{
      name: "app",
      udp: { port: 2001, cluster: { name: "app", service_discovery: "strictdns", endpoints: [] } },
    }];
    const spec = { selector: { app: "app" }, listeners };
    await this.#cluster([{ apiVersion: "servicemesh.l7mp.io/v1", kind: "VirtualService", metadata, spec }]);
    await this.#site.until(
      "the status of a VirtualService",
      async () => (await this.#scene.get<Stored>(path)).status !== undefined,
    );
    await this.#site.cluster.request("DELETE", this.#scene.path(path));
    await this.gone(path);
  }

  /** Asks a pod of the discovery service for the history of a configuration, as by a forwarded port. */
  async history(): Promise<void> {
    await this.answered(XDS, `http://127.0.0.1:18080/history?namespace=${this.#scene.namespace}&name=edge`);
  }

  /** Lets a pod go, in whose place another one comes. */
  async anotherPod(selector: string): Promise<void> {
    const [pod] = await this.pods(selector);
    const path = `pods/${pod!.metadata.name}`;
    await this.#site.cluster.request("DELETE", this.#scene.path(path));
    await this.gone(path);
    await this.#site.until(`other pods of ${selector}`, async () => {
      const pods = await this.pods(selector);
      return pods.length > 1 && pods.every(isReady);
    });
  }

  /** Asks for a node id that is taken. */
  async takenNodeId(): Promise<void> {
    const refused = await this.#configure("edge", [], "another").then(() => undefined, String);
    if (!refused?.includes("edge")) throw new Error(`A node id that is taken is not refused: ${refused}`);
  }

  /** A DiscoveryService that MARIN3R's operator has made objects for, for a while. */
  async takenOver(): Promise<void> {
    const path = `${OPERATOR_KINDS}/discoveryservices/ds`;
    const paused = "operator.marin3r.3scale.net/paused";
    await this.apply("DiscoveryService", "ds", { replicas: 0, clientAuthorization: "NodeID" }, { [paused]: "true" });
    const { metadata: { uid } } = await this.#scene.get<Stored>(path);
    const owner = { apiVersion: OPERATOR_KINDS, kind: "DiscoveryService", name: "ds", uid, controller: true };
    const metadata = { name: "marin3r-ds", labels: ownedLabels("discovery-service", "ds"), ownerReferences: [owner] };
    const apiVersion = "rbac.authorization.k8s.io/v1";
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "marin3r-ds" };
    await this.#scene.create({ apiVersion, kind: "Role", metadata, rules: [] });
    await this.#scene.create({ apiVersion, kind: "RoleBinding", metadata, roleRef, subjects: [] });
    await this.#configure("brief", [listener("in", { port: 8000, routes: { text: "brief" } })]);
    await this.#scene.patch(path, { metadata: { annotations: { [paused]: null } } });
    await this.gone("rbac.authorization.k8s.io/v1/roles/marin3r-ds");
    const certificate = `${OPERATOR_KINDS}/discoveryservicecertificates/${nodeCertificateName("brief")}`;
    await this.there(certificate);
    await this.#site.cluster.request("DELETE", this.#scene.path("marin3r.3scale.net/v1alpha1/envoyconfigs/brief"));
    const { unusedSince } = OPERATOR_ANNOTATIONS;
    const since = async () => (await this.#scene.get<Stored>(certificate)).metadata.annotations?.[unusedSince];
    await this.#site.until("the certificate of a node id to be unused", async () => await since() !== undefined);
    const yesterday = new Date(Date.now() - 86_400_000).toISOString();
    await this.#scene.patch(certificate, { metadata: { annotations: { [unusedSince]: yesterday } } });
    await this.gone(certificate);
    await this.#site.cluster.request("DELETE", this.#scene.path(path));
  }

  /** Waits until an object is there. */
  async there(path: string): Promise<void> {
    await this.#site.until(`${path} to be there`, () => this.#scene.get(path).then(() => true, () => false));
  }

  /** Waits until there is no such object. */
  async gone(path: string): Promise<void> {
    await this.#site.until(
      `${path} to be gone`,
      () => this.#scene.get(path).then(() => false, (thrown) => /404/.test(String(thrown))),
    );
  }

  /** A merge patch of one of the operator's objects. */
  async patch(path: string, body: object): Promise<void> {
    await this.#scene.patch(`${OPERATOR_KINDS}/${path}`, body);
  }

  async #published(name: string): Promise<void> {
    await this.#site.until(`the newest version of ${name} to be published`, async () => {
      const { metadata, status } = await this.#scene.get<Stored>(`marin3r.3scale.net/v1alpha1/envoyconfigs/${name}`);
      return status?.observedGeneration === metadata.generation && status?.publishedVersion === status?.desiredVersion;
    });
  }

  async #revisions(nodeId: string): Promise<readonly Stored[]> {
    const query = `labelSelector=${encodeURIComponent(`${LABELS.nodeId}=${nodeId}`)}`;
    return (await this.#scene.get<{ items: Stored[] }>(`marin3r.3scale.net/v1alpha1/envoyconfigrevisions?${query}`))
      .items;
  }

  async #configure(nodeId: string, resources: Parameters<typeof envoyConfig>[1], name = nodeId): Promise<void> {
    const metadata = { name, namespace: this.#scene.namespace };
    await this.#cluster([{ ...envoyConfig(nodeId, resources), metadata }]);
  }

  async #cluster(objects: readonly object[]): Promise<void> {
    await this.#site.cluster.apply(objects);
  }
}
