/**
 * What users do with an installation: each is a flow from what they apply to a request that is served, or to what it leaves.
 * @module
 */
import { envoyConfig, listener, staticCluster } from "../../envoy/harness/mod.ts";
import { isReady, type PodObject, type Scene } from "../node/scene.ts";
import type { InstallSite } from "./install_site.ts";

const OPERATOR_KINDS = "operator.marin3r.3scale.net/v1alpha1";

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

  /** Waits until a pod of these labels answers a request as wished. */
  async served(selector: string, url: string, wished: (body: string) => boolean): Promise<void> {
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
  async apply(kind: string, name: string, spec: object): Promise<void> {
    const metadata = { name, namespace: this.#scene.namespace };
    await this.#cluster([{ apiVersion: OPERATOR_KINDS, kind, metadata, spec }]);
  }

  async #configure(name: string, resources: Parameters<typeof envoyConfig>[1]): Promise<void> {
    const metadata = { name, namespace: this.#scene.namespace };
    await this.#cluster([{ ...envoyConfig(name, resources), metadata }]);
  }

  async #cluster(objects: readonly object[]): Promise<void> {
    await this.#site.cluster.apply(objects);
  }
}
