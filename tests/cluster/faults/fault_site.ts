import { eventually, type Fields } from "../../envoy/harness/mod.ts";
import { Journal, type StoreEvent } from "../../faults/journal.ts";
import { configOf, revisionOf } from "../../faults/stored.ts";
import type { StoredObject } from "../../../src/store/mod.ts";
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from "../control_plane/mod.ts";
import { kubeconfigOf } from "../control_plane/kubeconfig.ts";
import type { Replica } from "../discovery_service/replica.ts";
import { openSite, RULES, type Site } from "../discovery_service/site.ts";
import { KubeClient, KubeError } from "../node/kube/client.ts";
import { type AuditEvent, readAudit } from "./audit.ts";

const GROUP = "/apis/marin3r.3scale.net/v1alpha1";
const GROUPS: Readonly<Record<string, string>> = {
  Secret: "/api/v1",
  EndpointSlice: "/apis/discovery.k8s.io/v1",
};
/**
 * Clusters that nothing refers to go soon: a run has no minute for each. A leader may take 2 s for a write, which is the difference
 * of the first two times of the Lease.
 */
const ARGS = ["--removal-delay", "300ms", "--lease-duration", "4s", "--lease-renew-deadline", "2s"];
/** A write of ours waits so long for an API server that comes back. */
const INSIST_MS = 90_000;

/** A control plane of its own, which may be broken, replicas with an account each, and a journal of what is done to them. */
export class FaultSite implements AsyncDisposable {
  readonly journal = new Journal();
  readonly cluster: ControlPlane;
  readonly site: Site;
  readonly api: KubeClient;
  readonly replicas: readonly Replica[];
  readonly #parts: AsyncDisposableStack;

  private constructor(
    parts: AsyncDisposableStack,
    of: { cluster: ControlPlane; site: Site; api: KubeClient; replicas: readonly Replica[] },
  ) {
    this.#parts = parts;
    this.cluster = of.cluster;
    this.site = of.site;
    this.api = of.api;
    this.replicas = of.replicas;
  }

  static async open(
    { replicas: count = 2, ...options }: { readonly replicas?: number } & ControlPlaneOptions = {},
  ): Promise<FaultSite> {
    await using parts = new AsyncDisposableStack();
    const cluster = parts.use(
      await startControlPlane({ components: ["etcd", "kube-apiserver"], audit: true, ...options }),
    );
    const site = parts.use(await openSite(cluster));
    const api = parts.use(await KubeClient.open(cluster.kubeconfig));
    const replicas: Replica[] = [];
    for (let i = 0; i < count; i++) {
      const name = `xds-${i}`;
      await cluster.serviceAccount(site.namespace, name, RULES);
      const kubeconfig = `${cluster.directory}/${name}.kubeconfig`;
      const user = { tokenFile: tokenFile(cluster, name) };
      await Deno.writeTextFile(kubeconfig, kubeconfigOf(cluster.server, cluster.ca, user, site.namespace));
      await Deno.writeTextFile(user.tokenFile, await cluster.token(site.namespace, name), { mode: 0o600 });
      replicas.push(site.replica(name, { kubeconfig, args: [...ARGS, "--log-level", "info"] }));
    }
    return new FaultSite(parts.move(), { cluster, site, api, replicas });
  }

  get namespace(): string {
    return this.site.namespace;
  }

  /** Gives a replica another token; one that is good for `seconds`, or no token at all. */
  async token(name: string, seconds: number | undefined): Promise<void> {
    const token = seconds === undefined ? "no.such.token" : await this.cluster.token(this.namespace, name, seconds);
    await Deno.writeTextFile(tokenFile(this.cluster, name), token, { mode: 0o600 });
  }

  async start(replica: Replica): Promise<void> {
    this.journal.add({ kind: "started" });
    await replica.start({ wait: false });
  }

  async ready(replica: Replica): Promise<void> {
    await replica.wait("the replica to be ready", async () => (await replica.probe("/readyz")).status === 200, 60_000);
    this.journal.add({ kind: "ready" });
  }

  async kill(replica: Replica): Promise<void> {
    await replica.process.kill();
    this.journal.add({ kind: "killed" });
  }

  /** The replica that leads, as far as anybody says so; otherwise the first. */
  async leader(): Promise<Replica> {
    for (const replica of this.replicas) if (await replica.leads().catch(() => false)) return replica;
    return this.replicas[0]!; // there is at least one
  }

  /** Applies an object, and does not give up while the API server is away. */
  async insist(object: Fields): Promise<void> {
    const { kind, metadata: { name } } = object as { kind: string; metadata: { name: string } }; // as a manifest has them
    const path = this.#path(kind, name);
    const metadata = { ...object["metadata"] as Fields, namespace: this.namespace };
    await eventually(async () => {
      await this.api.request("PATCH", `${path}?fieldManager=user&force=true`, {
        body: { ...object, metadata },
        contentType: "application/apply-patch+yaml",
      });
      return true;
    }, { what: `the API server to take ${kind} ${name}`, deadlineMs: INSIST_MS });
  }

  /** Removes an object, and does not give up either. */
  async remove(kind: string, name: string): Promise<void> {
    await eventually(async () => {
      await this.api.request("DELETE", this.#path(kind, name)).catch((error) => {
        if (!(error instanceof KubeError && error.status === 404)) throw error;
      });
      return true;
    }, { what: `the API server to remove ${kind} ${name}`, deadlineMs: INSIST_MS });
  }

  async list(resource: string, group = GROUP): Promise<StoredObject[]> {
    const path = `${group}/namespaces/${this.namespace}/${resource}`;
    return (await this.api.request<{ items: StoredObject[] }>("GET", path)).items;
  }

  /** Writes down what is stored. */
  async look(atRest: boolean): Promise<StoreEvent> {
    const [revisions, configs] = [await this.list("envoyconfigrevisions"), await this.list("envoyconfigs")];
    const text = JSON.stringify([revisions, configs]);
    this.journal.add({ kind: "output", source: "EnvoyConfigs and revisions", text });
    const store: StoreEvent = {
      kind: "store",
      atRest,
      configs: configs.map(configOf),
      revisions: revisions.map(revisionOf),
    };
    this.journal.add(store);
    return store;
  }

  /** The changes so far, in order. */
  async audit(): Promise<AuditEvent[]> {
    return readAudit(await Deno.readTextFile(this.cluster.auditLog), this.namespace);
  }

  /** Waits until no replica has written anything but its Leases for a while; whether that came to be. */
  async quiet(quietMs: number, deadlineMs: number): Promise<boolean> {
    const writes = async () =>
      (await this.audit()).filter(({ user, resource }) =>
        user.startsWith("system:serviceaccount:") && resource.startsWith("envoyconfig")
      ).length;
    let [last, since] = [await writes(), performance.now()];
    return await eventually(async () => {
      const now = await writes();
      if (now !== last) [last, since] = [now, performance.now()];
      await new Promise((resolve) => setTimeout(resolve, 200)); // the log is long to read
      return performance.now() - since >= quietMs;
    }, { what: "nothing more to be written", deadlineMs }).catch(() => false);
  }

  /** Everything that the program says of itself goes into the journal. */
  async keepOutput(): Promise<void> {
    const add = (source: string, text: string) => this.journal.add({ kind: "output", source, text });
    for (const replica of this.replicas) {
      add(`/status of ${replica.name}`, JSON.stringify(await replica.status()));
      add(`/metrics of ${replica.name}`, await replica.metrics());
    }
    add("Events", JSON.stringify(await this.list("events", "/api/v1")));
  }

  #path(kind: string, name: string): string {
    return `${GROUPS[kind] ?? GROUP}/namespaces/${this.namespace}/${kind.toLowerCase()}s/${name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function tokenFile({ directory }: ControlPlane, name: string): string {
  return `${directory}/${name}.token`;
}
