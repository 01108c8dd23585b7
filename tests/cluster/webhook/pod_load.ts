import type { Installation } from "./installation.ts";

/** Between two pods of a worker; the scene runs on few processors. */
const BETWEEN_MS = 100;
const WORKERS = 3;

/**
 * Users who create pods all the time, and beside them an API server that connects anew each time: to either replica, trusting what the
 * configuration says at that moment.
 */
export class PodLoad implements AsyncDisposable {
  readonly failures: string[] = [];
  created = 0;
  handshakes = 0;
  readonly #site: Installation;
  readonly #done: Promise<unknown>;
  #ended = false;

  constructor(site: Installation) {
    this.#site = site;
    this.#done = Promise.all([
      ...Array.from({ length: WORKERS }, (_, worker) => this.#repeat(() => this.#create(worker))),
      this.#repeat(() => this.#connect()),
    ]);
  }

  /** Resolves once so many more pods were created. */
  async more(count: number): Promise<void> {
    const until = this.created + count;
    await this.#site.until(`${count} more pods`, () => this.created >= until || this.failures.length > 0);
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#ended) {
      await work().catch((thrown) => this.failures.push(thrown instanceof Error ? thrown.message : String(thrown)));
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
  }

  async #create(worker: number): Promise<void> {
    const containers = await this.#site.createPod(`load-${worker}-${this.created}`);
    if (!containers.includes("envoy-sidecar")) throw new Error(`a pod has no sidecar: ${containers.join(", ")}`);
    this.created++;
  }

  async #connect(): Promise<void> {
    for (const replica of this.#site.replicas) {
      const [webhook] = await this.#site.configuration("mutating");
      const tcp = await Deno.connect({ hostname: "127.0.0.1", port: replica.port });
      const hostname = `chancery-webhook.${this.#site.namespace}.svc`;
      using tls = await Deno.startTls(tcp, { hostname, caCerts: [atob(webhook?.clientConfig.caBundle ?? "")] });
      await tls.handshake();
      this.handshakes++;
    }
  }
}
