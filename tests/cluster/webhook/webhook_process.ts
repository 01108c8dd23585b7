import { type Authority, createAuthority } from "../../certificates.ts";
import { eventually, freePort, Hopeless, httpGet, type HttpResponse, ProcessSeries } from "../../envoy/harness/mod.ts";
import { CLI } from "../../program.ts";

/** Where a webhook finds its cluster, and what its certificate is good for. */
export interface WebhookProcessOptions {
  readonly kubeconfig: string;
  readonly namespace: string;
  readonly dns?: readonly string[];
  /** Default: one of its own. */
  readonly authority?: Authority;
  /** Whether it has no certificate until something is mounted. */
  readonly bare?: boolean;
  /** Further variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A real `chancery webhook` on its own ports, with a certificate laid out as a Secret is mounted. */
export class WebhookProcess extends ProcessSeries {
  readonly port = freePort();
  readonly probePort = freePort();
  readonly metricsPort = freePort();
  readonly folder: string = Deno.makeTempDirSync({ prefix: "webhook-" });
  readonly authority: Authority;
  readonly #options: WebhookProcessOptions;
  #certificates = 0;

  private constructor(authority: Authority, options: WebhookProcessOptions) {
    super();
    this.authority = authority;
    this.#options = options;
  }

  /** Everything but the process. */
  static async make(options: WebhookProcessOptions): Promise<WebhookProcess> {
    const made = new WebhookProcess(options.authority ?? await createAuthority(), options);
    if (!options.bare) await made.certify();
    for (const name of ["tls.crt", "tls.key"]) await Deno.symlink(`..data/${name}`, `${made.folder}/${name}`);
    return made;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Puts a new certificate of the same authority in place. */
  async certify(): Promise<void> {
    await this.mount(
      await this.authority.issue({
        commonName: `webhook-${this.#certificates + 1}`,
        ips: ["127.0.0.1"],
        dns: ["localhost", ...this.#options.dns ?? []],
      }),
    );
  }

  /** Puts a certificate in place as the kubelet does: by one rename. */
  async mount({ cert, key }: { readonly cert: string; readonly key: string }): Promise<void> {
    const folder = `${this.folder}/..${++this.#certificates}`;
    await Deno.mkdir(folder);
    await Deno.writeTextFile(`${folder}/tls.crt`, cert);
    await Deno.writeTextFile(`${folder}/tls.key`, key, { mode: 0o600 });
    await Deno.symlink(folder, `${this.folder}/..tmp`);
    await Deno.rename(`${this.folder}/..tmp`, `${this.folder}/..data`);
  }

  /** Starts a process and waits until it is ready. Later arguments win. */
  async start(...args: string[]): Promise<void> {
    this.launch(...args);
    await this.wait("the webhook to be ready", async () => {
      if (this.process.ended) throw new Hopeless(`it ended with code ${this.process.ended.code}`);
      return (await this.probe("/readyz")).status === 200;
    });
  }

  async probe(path: string): Promise<HttpResponse> {
    return await httpGet({ port: this.probePort }, path, { host: "127.0.0.1" });
  }

  /** Starts a process. */
  launch(...args: string[]): void {
    const { kubeconfig, namespace, env } = this.#options;
    this.launchProcess({
      name: "webhook",
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", "--allow-all", CLI, "webhook", "--kubeconfig", kubeconfig, "--tls-dir", this.folder],
        ...["--webhook-host", "127.0.0.1", "--webhook-port", String(this.port)],
        ...["--metrics-bind-address", `127.0.0.1:${this.metricsPort}`],
        ...["--health-probe-bind-address", `127.0.0.1:${this.probePort}`],
        ...["--shutdown-delay", "0", "--log-format", "json", "--log-level", "debug", ...args],
      ],
      env: { WATCH_NAMESPACE: namespace, ...env },
    });
  }

  /** Number of reviews with all of these labels, e.g. `reason="unchanged"`. */
  async reviews(...labels: string[]): Promise<number> {
    const { body } = await httpGet({ port: this.metricsPort }, "/metrics", { host: "127.0.0.1" });
    const lines = body.split("\n").filter((line) =>
      line.startsWith("chancery_admission_requests_total{") && labels.every((label) => line.includes(label))
    );
    return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
  }

  async wait<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, deadlineMs: 30_000, explain: () => this.process.tail(40) });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}
