import { KubeClient } from "../../cluster/node/kube/client.ts";
import type { Replica } from "../../cluster/discovery_service/replica.ts";
import type { Site } from "../../cluster/discovery_service/site.ts";
import { type Fields, Hopeless, tlsSecret } from "../../envoy/harness/mod.ts";
import { Child } from "../child.ts";
import { median } from "../measures.ts";
import { cpuSeconds, peakBytes, pidsOf, residentBytes } from "../proc.ts";
import { type Figure, percentile } from "./figures.ts";
import { type Came, type FleetCommand, type FleetNode, preciseNow } from "./fleet.ts";
import { Scrape } from "./scrape.ts";
import { configOf, namesOf, nodeOf, secretOf, type WorldSize } from "./world.ts";

/** How much is measured. */
export interface Effort extends WorldSize {
  readonly clients: number;
  readonly changes: number;
}

const MB = 1 << 20;
/** Objects that are written to the API server at a time. */
const WRITERS = 8;
const OPEN_FILES = 4096;
/** Rotations of a Secret. */
const ROTATIONS = 5;
/** A machine that is busy otherwise takes its time. */
const START_MS = 400_000;

/** Measures everything, in an order in which each builds on the one before. */
export async function measure(site: Site, effort: Effort, say: (line: string) => void): Promise<Figure[]> {
  const fleet = Child.start("clients", [
    ...[Deno.execPath(), "run", "--quiet", "--allow-all", "--no-check"],
    new URL("fleet.ts", import.meta.url).pathname,
  ], { openFiles: OPEN_FILES });
  try {
    using api = await KubeClient.open(site.cluster.kubeconfig);
    return await new Measurement(site, { effort, api, fleet, say }).run();
  } finally {
    await fleet.stop();
  }
}

class Measurement {
  readonly #site: Site;
  readonly #effort: Effort;
  readonly #api: KubeClient;
  readonly #fleet: Child;
  readonly #say: (line: string) => void;
  readonly #figures: Figure[] = [];
  #serial = 0;

  constructor(site: Site, parts: { effort: Effort; api: KubeClient; fleet: Child; say: (line: string) => void }) {
    this.#site = site;
    this.#effort = parts.effort;
    this.#api = parts.api;
    this.#fleet = parts.fleet;
    this.#say = parts.say;
  }

  async run(): Promise<Figure[]> {
    const { configs, secrets } = this.#effort;
    await this.#load();
    const first = this.#replica("xds-0");
    await this.#start(first, `first start with ${configs} EnvoyConfigs and ${secrets} Secrets`);
    const second = this.#replica("xds-1");
    await this.#start(second, "start of a second replica");
    await this.#connect(first);
    await this.#changes(first);
    await this.#memory(first);
    await this.#burst();
    await this.#memory(first, second);
    await this.#rotations(first);
    await this.#fleet.stop(); // before the server says goodbye
    await first.stop();
    await second.stop();
    const again = this.#replica("xds-2");
    await this.#start(again, "start when all was served before");
    await again.stop();
    return this.#figures;
  }

  #replica(name: string): Replica {
    const times = ["--lease-duration", "15s", "--lease-renew-deadline", "10s", "--lease-retry-period", "2s"]; // the defaults
    return this.#site.replica(name, { args: ["--log-level", "warn", ...times] });
  }

  #add(text: string, value: number, unit: Figure["unit"], note?: string): void {
    this.#figures.push({ text, value, unit, ...(note === undefined ? {} : { note }) });
    this.#say(`${text}: ${value.toFixed(2)} ${unit} ${note ?? ""}`);
  }

  async #load(): Promise<void> {
    const { configs, secrets } = this.#effort;
    const start = performance.now();
    await each(secrets, (index) => this.#rotate(index));
    await each(configs, (index) => this.#configure(index, "mark-0-0"));
    this.#add("applying all objects, one by one", (performance.now() - start) / 1000, "s", `${WRITERS} at a time`);
  }

  async #rotate(index: number): Promise<void> {
    const name = secretOf(index, this.#effort);
    const { cert, key } = await this.#site.authority.issue({ commonName: name });
    const secret = tlsSecret(name, { cert, key });
    await this.#apply(secret, `/api/v1/namespaces/${this.#site.namespace}/secrets/${name}`);
  }

  async #configure(index: number, mark: string): Promise<void> {
    const { namespace } = this.#site;
    const path = `/apis/marin3r.3scale.net/v1alpha1/namespaces/${namespace}/envoyconfigs/${nodeOf(index)}`;
    await this.#apply(configOf(index, this.#effort, mark), path);
  }

  async #apply(object: Fields, path: string): Promise<void> {
    const { namespace } = this.#site;
    const metadata = { ...object["metadata"] as Fields, namespace };
    await this.#api.request("PATCH", `${path}?fieldManager=bench&force=true`, {
      body: { ...object, metadata },
      contentType: "application/apply-patch+yaml",
    });
  }

  async #start(replica: Replica, text: string): Promise<void> {
    const start = performance.now();
    const serverBefore = this.#serverSeconds();
    await replica.start({ wait: false });
    await replica.wait("the replica to be ready", async () => {
      if (replica.process.ended) throw new Hopeless(`it ended with code ${replica.process.ended.code}`);
      return (await replica.probe("/readyz")).status === 200;
    }, START_MS);
    this.#add(text, (performance.now() - start) / 1000, "s", "until ready, with all of them served");
    const { configs } = this.#effort;
    const nodes = (await replica.status()).nodes.filter(({ revision }) => revision !== "").length;
    if (nodes !== configs) {
      throw new Error(`${replica.name} is ready and serves ${nodes} of ${configs} node ids\n${replica.process.tail()}`);
    }
    const { pid } = replica.process;
    const scrape = new Scrape(await replica.metrics());
    const writes = writesOf(scrape);
    this.#add("  processor time", cpuSeconds(pid), "s");
    this.#add("  of API server and etcd", this.#serverSeconds() - serverBefore, "s");
    this.#add("  reads of the API server", scrape.sum(REQUESTS, 'method="GET"'), "", "watches included");
    this.#add("  writes", writes, "", `${per(writes, configs)} an EnvoyConfig`);
    this.#add("  memory", residentBytes(pid) / MB, "MB");
    this.#add("  peak of memory", peakBytes(pid) / MB, "MB");
  }

  async #connect(replica: Replica): Promise<void> {
    const { clients } = this.#effort;
    const nodes = Array.from({ length: clients }, (_, i): FleetNode => {
      return { id: nodeOf(this.#indexOf(i)), names: namesOf(this.#indexOf(i), this.#effort) };
    });
    const tls = await this.#site.clientTls();
    const start = preciseNow();
    const at = await this.#ask({ cmd: "connect", port: replica.xdsPort, tls, nodes });
    this.#add(`${clients} clients connect`, (at - start) / 1000, "s", "until all have accepted everything");
    await this.#memory(replica);
  }

  /** Clients are chosen so that several share each Secret. */
  #indexOf(client: number): number {
    const { configs, secrets, clients } = this.#effort;
    const each = Math.ceil(configs / secrets);
    const shared = Math.max(1, Math.ceil(clients / each));
    return client % shared + secrets * Math.floor(client / shared);
  }

  async #changes(replica: Replica): Promise<void> {
    const { changes, clients } = this.#effort;
    const before = new Scrape(await replica.metrics());
    const cpuBefore = cpuSeconds(replica.process.pid);
    const own: number[] = [];
    const total: number[] = [];
    for (let change = 0; change < changes; change++) {
      const index = this.#indexOf(change % clients);
      const mark = this.#mark();
      const accepted = this.#ask({ cmd: "expect", marks: { [nodeOf(index)]: mark } });
      const start = preciseNow();
      await this.#configure(index, mark);
      own.push(preciseNow() - start);
      total.push(await accepted - start);
    }
    await this.#quiet(replica);
    const cpu = cpuSeconds(replica.process.pid) - cpuBefore;
    const after = new Scrape(await replica.metrics());
    this.#add(
      `from apply to ACK, median of ${changes}`,
      median(total),
      "ms",
      `${per(median(total), median(own))}× the apply alone`,
    );
    this.#add("  p99", percentile(total, 99), "ms");
    this.#add("  of it the API server's answer to the apply, median", median(own), "ms");
    this.#add("  p99", percentile(own, 99), "ms");
    const writes = writesOf(after) - writesOf(before);
    const looks = difference(before, after, LOOKS);
    this.#add("  writes of the leader for one change", writes / changes, "", `${per(looks, changes)} looks`);
    this.#add("  its processor time for one change", cpu / changes * 1000, "ms");
  }

  /** All that are connected, at once. */
  async #burst(): Promise<void> {
    const { clients } = this.#effort;
    const marks = new Map(Array.from({ length: clients }, (_, i) => [this.#indexOf(i), this.#mark()]));
    const accepted = this.#ask({
      cmd: "expect",
      marks: Object.fromEntries([...marks].map(([index, mark]) => [nodeOf(index), mark])),
    });
    const start = preciseNow();
    const list = [...marks];
    await each(list.length, (i) => this.#configure(...list[i]!)); // i is an index of it
    const own = preciseNow() - start;
    const all = await accepted - start;
    this.#add(
      `${clients} EnvoyConfigs changed at once`,
      all / 1000,
      "s",
      `until all are accepted; ${per(all, own)}× the applies alone`,
    );
  }

  async #rotations(replica: Replica): Promise<void> {
    const { configs, secrets } = this.#effort;
    await this.#quiet(replica);
    const users = Array.from({ length: configs }, (_, i) => i).filter((i) => i % secrets === 0).map(nodeOf);
    const looks: number[] = [];
    const responses: number[] = [];
    const bytes: number[] = [];
    const writes: number[] = [];
    const strangers = new Set<string>();
    for (let round = 0; round < ROTATIONS; round++) {
      await this.#count();
      const before = new Scrape(await replica.metrics());
      await this.#rotate(0);
      await replica.wait("the rotation to be told", async () => {
        return difference(before, new Scrape(await replica.metrics()), LOOKS) >= users.length;
      }, 30_000);
      await this.#quiet(replica);
      const after = new Scrape(await replica.metrics());
      const came = await this.#count();
      for (const id of Object.keys(came)) if (!users.includes(id)) strangers.add(id);
      looks.push(difference(before, after, LOOKS));
      writes.push(writesOf(after) - writesOf(before));
      responses.push(Object.values(came).reduce((sum, one) => sum + one.responses, 0));
      bytes.push(Object.values(came).reduce((sum, one) => sum + one.bytes, 0));
    }
    if (strangers.size > 0) throw new Error(`A Secret was rotated, and others were told: ${[...strangers].join(", ")}`);
    this.#add("one Secret rotated: node ids looked at", median(looks), "", `${users.length} of ${configs} use it`);
    this.#add("  responses sent", median(responses), "", `${Math.round(median(bytes))} bytes; none to another node`);
    this.#add("  writes to the API server", median(writes), "");
  }

  /** Processor time so far of what the replica asks. */
  #serverSeconds(): number {
    const { directory } = this.#site.cluster;
    const pids = [...pidsOf("kube-apiserver", directory), ...pidsOf("/etcd", `--data-dir=${directory}`)];
    return pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  }

  async #memory(...replicas: readonly Replica[]): Promise<void> {
    for (const replica of replicas) {
      await this.#quiet(replica);
      const heap = new Scrape(await replica.metrics()).sum("process_heap_bytes");
      this.#add(`  memory of ${replica.name}`, residentBytes(replica.process.pid) / MB, "MB", "when it is quiet");
      this.#add("    of it in the heap", heap / MB, "MB");
      this.#add("    peak of memory", peakBytes(replica.process.pid) / MB, "MB");
    }
  }

  /** Waits until nothing is left to be done: no request and no look for a second. */
  async #quiet(replica: Replica): Promise<void> {
    const state = async () => {
      const scrape = new Scrape(await replica.metrics());
      return `${scrape.sum(LOOKS)} ${writesOf(scrape)}`;
    };
    let last = await state();
    let since = performance.now();
    await replica.wait("quiet", async () => {
      const now = await state();
      if (now !== last) since = performance.now();
      last = now;
      return performance.now() - since > 1000;
    }, START_MS);
  }

  async #count(): Promise<Readonly<Record<string, Came>>> {
    const { came } = await this.#fleet.ask("count");
    return came as Record<string, Came>; // the answer of fleet.ts
  }

  async #ask({ cmd, ...rest }: FleetCommand): Promise<number> {
    const { at } = await this.#fleet.ask(cmd, rest);
    return Number(at);
  }

  #mark(): string {
    return `mark-${++this.#serial}-0`;
  }
}

const REQUESTS = "chancery_kubernetes_requests_total";
const LOOKS = "chancery_node_looks_total";

/** All but those that renew a Lease, which come all the time. */
function writesOf(scrape: Scrape): number {
  return ["PATCH", "POST", "DELETE"].reduce((sum, method) => sum + scrape.sum(REQUESTS, `method="${method}"`), 0);
}

function difference(before: Scrape, after: Scrape, name: string, ...labels: readonly string[]): number {
  return after.sum(name, ...labels) - before.sum(name, ...labels);
}

function per(value: number, by: number): string {
  return (value / by).toFixed(1);
}

/** Does something for 0 up to, but not including, `count`, a few at a time. */
async function each(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(Array.from({ length: WRITERS }, async () => {
    while (next < count) await work(next++);
  }));
}
