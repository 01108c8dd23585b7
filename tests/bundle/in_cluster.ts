/**
 * What each command does with a real API server.
 * @module
 */
import { expect } from "expect";
import { INSTALL_NAMESPACE, partName } from "../../src/install/mod.ts";
import { type ControlPlane, startControlPlane } from "../cluster/control_plane/mod.ts";
import {
  envoyConfig,
  eventually,
  freePort,
  Hopeless,
  httpGet,
  type RunningEnvoy,
  type RunningProcess,
  startEnvoy,
  staticCluster,
} from "../envoy/harness/mod.ts";
import type { EmptyPlace } from "./empty_place.ts";
import type { Cases } from "./offline.ts";

const WEBHOOK = partName("webhook");
/** Until something is as it should be, on a machine that has other work. */
const DEADLINE_MS = 60_000;

/** A cluster of its own, and the roles that look after it. Everything is gone with the scope. */
export class Installation implements AsyncDisposable {
  readonly cluster: ControlPlane;
  readonly place: EmptyPlace;
  readonly #parts: AsyncDisposableStack;
  readonly #roles: RunningProcess[] = [];
  /** Ports of their metrics. */
  readonly #metrics: number[] = [];
  #envoy: RunningEnvoy | undefined;

  private constructor(cluster: ControlPlane, place: EmptyPlace, parts: AsyncDisposableStack) {
    this.cluster = cluster;
    this.place = place;
    this.#parts = parts;
  }

  static async open(place: EmptyPlace): Promise<Installation> {
    await using parts = new AsyncDisposableStack();
    const cluster = parts.use(await startControlPlane());
    place.write("kubeconfig", await Deno.readTextFile(cluster.kubeconfig));
    return new Installation(cluster, place, parts.move());
  }

  /** Words by which a command finds the cluster. */
  get asked(): readonly string[] {
    return ["--kubeconfig", this.place.path("kubeconfig")];
  }

  /** Starts a role as in a pod of the installation, and waits until it is ready. */
  async role(...words: string[]): Promise<void> {
    const [probes, metrics] = [freePort(), freePort()];
    const binds = [
      "--health-probe-bind-address",
      `127.0.0.1:${probes}`,
      "--metrics-bind-address",
      `127.0.0.1:${metrics}`,
    ];
    const env = { POD_NAME: words[0]!, POD_NAMESPACE: INSTALL_NAMESPACE };
    const role = this.#parts.use(this.place.start([...words, ...this.asked, ...binds], { env }));
    this.#roles.push(role);
    this.#metrics.push(metrics);
    await this.until(`${role.name} to be ready`, async () => {
      if (role.ended) throw new Hopeless(`it ended with code ${role.ended.code}`);
      return (await httpGet({ port: probes }, "/readyz", { host: "127.0.0.1" })).status === 200;
    });
  }

  /** Starts an Envoy that is served in plain text. */
  async startEnvoy(nodeId: string, xds: string): Promise<RunningEnvoy> {
    const bootstrap = await this.place.output(["bootstrap", "--node-id", nodeId, "--xds-address", xds]);
    this.#envoy = this.#parts.use(await startEnvoy({ bootstrap: JSON.parse(bootstrap) }));
    return this.#envoy;
  }

  /** What all roles and the Envoy tell of themselves. */
  async metrics(): Promise<string[]> {
    const pages = await Promise.all(this.#metrics.map((port) => httpGet({ port }, "/metrics", { host: "127.0.0.1" })));
    return [...pages.map(({ body }) => body), await this.#envoy!.admin("/stats/prometheus")];
  }

  async until<T>(what: string, ask: () => T | Promise<T>): Promise<Exclude<T, undefined | false>> {
    const explain = () => this.#roles.map((role) => role.tail(12)).join("\n");
    return await eventually(ask, { what, deadlineMs: DEADLINE_MS, explain });
  }

  /** Waits until there is an object, and gives it. */
  async object<T>(path: string): Promise<T> {
    // What the API server keeps under this path.
    return await this.until(`${path} to be there`, () => this.cluster.request("GET", path) as Promise<T>) as T;
  }

  /** Ends all roles. */
  async stop(): Promise<void> {
    const ends = await Promise.all(this.#roles.map(async (role) => [role.name, (await role.stop()).code]));
    expect(ends).toEqual(this.#roles.map(({ name }) => [name, 0]));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

/** See above. Each goes on from where the one before it has left off. */
export const IN_CLUSTER: Cases<Installation> = {
  async install(site) {
    const said = await site.place.output(["install", "--no-wait", ...site.asked]);
    expect(said).toContain(`deployment.apps/${INSTALL_NAMESPACE}/chancery-operator created\n`);
  },
  async "cert-manager"(site) {
    await site.role("cert-manager", "--leader-elect", `--webhook-service=${WEBHOOK}`);
    const { data } = await site.object<{ data: Record<string, string> }>(
      `/api/v1/namespaces/${INSTALL_NAMESPACE}/secrets/chancery-webhook-tls`,
    );
    for (const name of ["tls.crt", "tls.key"]) site.place.write(`tls/${name}`, atob(data[name]!));
  },
  async webhook(site) {
    const port = freePort();
    const bind = ["--webhook-host", "127.0.0.1", "--webhook-port", String(port), "--shutdown-delay", "0"];
    await site.role("webhook", "--tls-dir", site.place.path("tls"), `--webhook-service=${WEBHOOK}`, ...bind);
    await site.cluster.route(`${INSTALL_NAMESPACE}/${WEBHOOK}`, 443, `127.0.0.1:${port}`);
    const bad = JSON.stringify(envoyConfig("edge", [staticCluster("a", [1], { lb_policy: "BEST" })]));
    await site.until("the webhook to be asked", async () => {
      const { stderr } = await site.cluster.kubectl(["apply", "-f", "-"], { stdin: bad });
      return stderr.includes("lb_policy");
    });
  },
  async operator(site) {
    await site.role("operator", "--leader-elect", "--image", "chancery:1", "--external-cert-manager");
    const metadata = { name: "ds", namespace: "default" };
    const apiVersion = "operator.marin3r.3scale.net/v1alpha1";
    await site.cluster.apply([{ apiVersion, kind: "DiscoveryService", metadata, spec: {} }]);
    await site.object("/apis/apps/v1/namespaces/default/deployments/marin3r-ds");
  },
  async certs(site) {
    expect(await site.place.output(["certs", "-n", "default", ...site.asked])).toContain("marin3r-ca-cert-ds");
  },
  async "discovery-service"(site) {
    const port = freePort();
    const bind = ["--xdss-host", "127.0.0.1", "--xdss-port", String(port), "--admin-bind", "0"];
    await site.role("discovery-service", "--insecure-xds", "--watch-namespace", "default", ...bind);
    const envoy = await site.startEnvoy("edge", `127.0.0.1:${port}`);
    for (const cluster of ["a", "b"]) {
      await site.cluster.apply([envoyConfig("edge", [staticCluster(cluster, [1])])]);
      await site.until("Envoy to know it", async () => (await envoy.clusterNames()).includes(cluster));
    }
  },
  async status(site) {
    const { code, stdout } = await site.place.run(["status", "-n", "default", ...site.asked]);
    expect(code).toBe(0);
    expect(stdout).toContain("edge");
  },
  async uninstall(site) {
    const said = await site.place.output(["uninstall", ...site.asked]);
    expect(said).toContain(`deployment.apps/${INSTALL_NAMESPACE}/chancery-operator deleted\n`);
  },
};
