import { eventually, freePort, Hopeless, httpGet, ProcessSeries } from "../../envoy/harness/mod.ts";
import { CLI } from "../../program.ts";

/** How to start an {@linkcode OperatorProcess}. */
export interface OperatorProcessOptions {
  readonly name: string;
  /** `operator` or `cert-manager`. */
  readonly role?: "operator" | "cert-manager";
  readonly kubeconfig: string;
  /** That it looks after, unless `watch` says otherwise, and that its Leases are in. */
  readonly namespace: string;
  /** What it looks after, as WATCH_NAMESPACE has it; nothing means everything. */
  readonly watch?: string;
  readonly args?: readonly string[];
}

/** A real `chancery operator`, started again and again under one name. */
export class OperatorProcess extends ProcessSeries {
  readonly name: string;
  readonly #options: OperatorProcessOptions;
  readonly #metricsPort = freePort();
  readonly #probePort = freePort();

  constructor(options: OperatorProcessOptions) {
    super();
    this.#options = options;
    this.name = options.name;
  }

  /** Starts a process and waits until it is ready. */
  async start({ wait = true }: { wait?: boolean } = {}): Promise<void> {
    const { role = "operator", kubeconfig, namespace, watch = namespace, args = [] } = this.#options;
    this.launchProcess({
      name: this.name,
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", "--allow-all", CLI, role, "--kubeconfig", kubeconfig, "--leader-elect"],
        ...(role === "operator" ? ["--image", "chancery:1"] : []),
        ...["--metrics-bind-address", `127.0.0.1:${this.#metricsPort}`],
        ...["--health-probe-bind-address", `127.0.0.1:${this.#probePort}`],
        ...["--lease-duration", "3s", "--lease-renew-deadline", "2s", "--lease-retry-period", "300ms"],
        ...["--log-format", "json", "--log-level", "debug", ...args],
      ],
      env: { WATCH_NAMESPACE: watch, POD_NAME: this.name, POD_NAMESPACE: namespace },
    });
    if (wait) await this.ready();
  }

  /** Waits until it knows everything. */
  async ready(): Promise<void> {
    await eventually(async () => {
      if (this.process.ended) throw new Hopeless(`it ended with code ${this.process.ended.code}`);
      const { status } = await httpGet({ port: this.#probePort }, "/readyz", { host: "127.0.0.1" });
      return status === 200;
    }, { what: `${this.name} to be ready`, deadlineMs: 40_000, explain: () => this.process.tail(40) });
  }

  /** What it answers to who asks whether it is ready. */
  async unreadiness(): Promise<string> {
    return (await httpGet({ port: this.#probePort }, "/readyz", { host: "127.0.0.1" })).body;
  }

  /** The value of a metric; 0 when it is not there. */
  async metric(series: string): Promise<number> {
    const { body } = await httpGet({ port: this.#metricsPort }, "/metrics", { host: "127.0.0.1" });
    const line = body.split("\n").find((line) => line.startsWith(`${series} `));
    return line === undefined ? 0 : Number(line.slice(series.length + 1));
  }

  /** Ends it at once, in the middle of whatever it does. */
  async kill(): Promise<void> {
    this.process.signal("SIGKILL");
    await eventually(() => this.process.ended !== undefined, { what: `${this.name} to be gone` });
  }
}
