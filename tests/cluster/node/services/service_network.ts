import type { KubeClient } from "../kube/client.ts";
import { Informer } from "../kube/informer.ts";
import type { Network } from "../machine/network.ts";
import { type Forward, forwards } from "./forwards.ts";
import { Relay } from "./relay.ts";
import { type EndpointSlice, type Service, SERVICE_NAME } from "./service.ts";
import { ServiceProxy } from "./service_proxy.ts";

/** Options of {@linkcode ServiceNetwork}. */
export interface ServiceNetworkOptions {
  readonly client: KubeClient;
  readonly network: Network;
  /** Called after Services or their endpoints changed and the proxy knows it. */
  readonly onChange: () => void;
  /** Tells the API server where a Service's port is answered; `undefined`: nowhere. */
  readonly route: (clusterIP: string, port: number, address: string | undefined) => Promise<void>;
}

/** The Services of the control plane, reachable for the node's Pods at their addresses. */
export class ServiceNetwork implements AsyncDisposable {
  readonly #options: ServiceNetworkOptions;
  readonly #services: Informer<Service>;
  readonly #slices: Informer<EndpointSlice>;
  /** To the API server, on the machine's address, since Pods do not see its loopback. */
  readonly #relay: Relay;
  readonly #proxy: ServiceProxy;
  /** Present routes of the API server, target by `ADDRESS:PORT`. */
  readonly #routes = new Map<string, string>();
  #applying: Promise<void> | undefined;
  #outdated = false;
  #closed = false;

  constructor(options: ServiceNetworkOptions) {
    const { client, network } = options;
    this.#options = options;
    this.#relay = new Relay({ hostname: network.machine, port: 0 }, () => [new URL(client.server).host]);
    this.#proxy = new ServiceProxy(network.namespace);
    const onChange = () => this.#changed();
    this.#services = new Informer({ client, path: "/api/v1/services", onChange });
    this.#slices = new Informer({
      client,
      path: "/apis/discovery.k8s.io/v1/endpointslices",
      query: { labelSelector: SERVICE_NAME },
      onChange,
    });
  }

  /** Resolves when the Services that are there now can be reached. */
  async ready(): Promise<void> {
    await Promise.all([this.#services.synced, this.#slices.synced]);
    this.#changed();
    await this.#applying;
  }

  get services(): Iterable<Service> {
    return this.#services.objects.values();
  }

  get slices(): Iterable<EndpointSlice> {
    return this.#slices.objects.values();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([this.#services[Symbol.asyncDispose](), this.#slices[Symbol.asyncDispose]()]);
    await this.#applying;
    // The control plane may be gone, and its routes with it.
    for (const key of [...this.#routes.keys()]) await this.#route(key, undefined).catch(() => {});
    await this.#proxy[Symbol.asyncDispose]();
    await this.#relay[Symbol.asyncDispose]();
  }

  #changed(): void {
    this.#outdated = true;
    this.#applying ??= this.#apply()
      .catch((error) => console.error(`node: ${error instanceof Error ? error.message : error}`))
      .finally(() => this.#applying = undefined);
  }

  /** Brings the proxy, the API server's routes and whoever listens up to date. */
  async #apply(): Promise<void> {
    while (this.#outdated && !this.#closed) {
      this.#outdated = false;
      const apiServer = `${this.#options.network.machine}:${this.#relay.port}`;
      const table = forwards({ services: this.services, slices: this.slices, apiServer });
      await this.#proxy.apply(table);
      this.#options.onChange();
      await this.#setRoutes(table.filter(({ targets }) => targets[0] !== apiServer));
    }
  }

  async #setRoutes(table: readonly Forward[]): Promise<void> {
    const wanted = new Map(table.map(({ address, port, targets }) => [`${address}:${port}`, targets[0]]));
    for (const key of [...this.#routes.keys()]) if (!wanted.has(key)) await this.#route(key, undefined);
    for (const [key, target] of wanted) await this.#route(key, target);
  }

  async #route(key: string, target: string | undefined): Promise<void> {
    if (this.#routes.get(key) === target) return;
    if (target === undefined) this.#routes.delete(key);
    else this.#routes.set(key, target);
    const [address = "", port] = key.split(":");
    await this.#options.route(address, Number(port), target);
  }
}
