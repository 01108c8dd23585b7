import type { StatusDocument } from "../../../src/app/admin/mod.ts";
import {
  eventually,
  type Fields,
  freePort,
  Hopeless,
  httpGet,
  type HttpResponse,
  ProcessSeries,
} from "../../envoy/harness/mod.ts";
import { CLI } from "../../program.ts";

/** What all replicas of a site have in common. */
export interface ReplicaOptions {
  readonly name: string;
  readonly kubeconfig: string;
  /** Of its Leases. */
  readonly namespace: string;
  /** That it serves. */
  readonly namespaces: readonly string[];
  /** Folder with `server/` and `ca/`. */
  readonly folder: string;
  readonly args?: readonly string[];
}

/** A real `chancery discovery-service`, started again and again under one name and on the same ports. */
export class Replica extends ProcessSeries {
  readonly name: string;
  readonly xdsPort = freePort();
  readonly probePort = freePort();
  readonly metricsPort = freePort();
  readonly adminPort = freePort();
  readonly #options: ReplicaOptions;

  constructor(options: ReplicaOptions) {
    super();
    this.#options = options;
    this.name = options.name;
  }

  /** The log lines of the newest process that hold this message. */
  logged(message: string): readonly Fields[] {
    return this.process.lines.filter((line) => line.startsWith("{")).map((line) => JSON.parse(line) as Fields)
      .filter((line) => line["message"] === message);
  }

  /** Starts a process and waits until it is ready. */
  async start({ wait = true }: { wait?: boolean } = {}): Promise<void> {
    const { kubeconfig, namespace, namespaces, folder, args = [] } = this.#options;
    this.launchProcess({
      name: this.name,
      command: Deno.execPath(),
      args: [
        ...["run", "--quiet", "--allow-all", CLI, "discovery-service", "--kubeconfig", kubeconfig],
        ...["--xdss-port", String(this.xdsPort), "--xdss-host", "127.0.0.1"],
        ...["--server-certificate-path", `${folder}/server`, "--ca-certificate-path", `${folder}/ca`],
        ...["--metrics-bind-address", `127.0.0.1:${this.metricsPort}`],
        ...[
          "--health-probe-bind-address",
          `127.0.0.1:${this.probePort}`,
          "--admin-bind",
          `127.0.0.1:${this.adminPort}`,
        ],
        ...["--lease-duration", "3s", "--lease-renew-deadline", "2s", "--lease-retry-period", "300ms"],
        ...["--log-format", "json", "--log-level", "debug", ...args],
      ],
      env: { WATCH_NAMESPACE: namespaces.join(","), POD_NAME: this.name, POD_NAMESPACE: namespace },
    });
    if (wait) await this.ready();
  }

  /** Waits until it serves. */
  async ready(): Promise<void> {
    await this.wait("the replica to be ready", async () => {
      if (this.process.ended) throw new Hopeless(`it ended with code ${this.process.ended.code}`);
      return (await this.probe("/readyz")).status === 200;
    }, 40_000); // a machine with much else to do takes its time to load a program
  }

  async probe(path: string): Promise<HttpResponse> {
    return await httpGet({ port: this.probePort }, path, { host: "127.0.0.1" });
  }

  async status(): Promise<StatusDocument> {
    return JSON.parse((await httpGet({ port: this.adminPort }, "/status", { host: "127.0.0.1" })).body);
  }

  async metrics(): Promise<string> {
    return (await httpGet({ port: this.metricsPort }, "/metrics", { host: "127.0.0.1" })).body;
  }

  async leads(): Promise<boolean> {
    return (await this.status()).cluster?.leader.self ?? false;
  }

  /** Ids of the streams of a node id. */
  async streams(nodeId: string): Promise<string[]> {
    const node = (await this.status()).nodes.find((node) => node.nodeId === nodeId);
    return node?.streams.map(({ id }) => id) ?? [];
  }

  async wait<T>(what: string, ask: () => T | Promise<T>, deadlineMs = 30_000): Promise<Exclude<T, undefined | false>> {
    return await eventually(ask, { what, deadlineMs, explain: () => this.process.tail(40) });
  }
}
