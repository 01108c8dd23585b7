import { eventually } from "../../envoy/harness/mod.ts";
import { checkLog } from "../../faults/checks/mod.ts";
import { wantedOf } from "../../faults/converge.ts";
import type { Log, WriteEvent } from "../../faults/journal.ts";
import { Random } from "../../faults/random.ts";
import { garbageSecret, manifestOf, nextWorld, secretOf, type World } from "../../faults/worlds.ts";
import { noErrorLoop, onceEach, oneWriter, sameEverywhere, termsOf } from "./checks.ts";
import { CLUSTER_FAULTS, type ClusterFault } from "./cluster_faults.ts";
import { FaultSite } from "./fault_site.ts";
import type { TapSpec } from "./tap_main.ts";
import { TapProcess } from "./tap_process.ts";

/** Options of {@linkcode clusterFaultRun}. */
export interface ClusterRunOptions {
  readonly seed: number;
  /** How many faults; each kind comes once before any comes again. */
  readonly steps: number;
  /** EnvoyConfigs beside the one that is looked at closely, which all change at once at some moment; 0 for none. */
  readonly crowd?: number;
  readonly replicas?: number;
  /** Gets the journal, also of a run that did not come to its end. */
  readonly journal?: string;
}

/** What a run was. */
export interface ClusterRunResult {
  readonly log: Log;
  /** What is wrong with it, each with the number of the invariant. */
  readonly faults: readonly string[];
}

const LEASE = "chancery-discovery-service";
const NODE = "edge";
const NEIGHBOUR = "side";
const QUIET_MS = 4_000;
/** A busy machine, an API server that starts anew, back-off. */
const REST_MS = 60_000;

/** Publishes configurations while things break, and checks what happened. */
export async function clusterFaultRun(options: ClusterRunOptions): Promise<ClusterRunResult> {
  await using site = await FaultSite.open({ replicas: options.replicas ?? 2 });
  try {
    const faults = await new ClusterRun(site, options).all();
    return { log: site.journal.entries, faults };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n${site.replicas.map(tail).join("\n")}`);
  } finally {
    site.journal.entries.sort((a, b) => a.at - b.at);
    if (options.journal !== undefined) await site.journal.write(options.journal);
  }
}

function tail({ process }: FaultSite["replicas"][number]): string {
  return process.tail(15);
}

class ClusterRun {
  readonly #site: FaultSite;
  readonly #options: ClusterRunOptions;
  readonly #random: Random;
  readonly #worlds = new Map<string, World>();
  readonly #last = new Map<string, WriteEvent>();
  #serial = 0;

  constructor(site: FaultSite, options: ClusterRunOptions) {
    this.#site = site;
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async all(): Promise<string[]> {
    const site = this.#site;
    const { crowd = 0, steps } = this.#options;
    await this.#rotate(NODE);
    await this.#rotate(NEIGHBOUR);
    await this.#write(NODE, undefined);
    await this.#write(NEIGHBOUR, undefined);
    for (const replica of site.replicas) {
      await site.start(replica);
      await site.ready(replica);
    }
    await using tap = new TapProcess(site.journal, { tls: await site.site.clientTls(), clients: this.#clients() });
    await this.#rest(NODE);
    const order = this.#faults(steps);
    for (const fault of order) await this.#step(tap, fault);
    if (crowd > 0) await this.#crowd(tap, crowd);
    await this.#end(tap);
    return await this.#check();
  }

  #clients(): TapSpec[] {
    const ports = this.#site.replicas.map(({ xdsPort }) => xdsPort);
    const turned = [...ports.slice(1), ...ports.slice(0, 1)];
    return [
      { name: "delta", node: NODE, protocol: "delta", ports },
      { name: "odd", node: NODE, protocol: "delta", ports: turned },
      { name: "sotw", node: NODE, protocol: "sotw", ports: turned },
      { name: "side", node: NEIGHBOUR, protocol: "delta", ports },
    ];
  }

  /** All of them in an order that the seed decides, again and again. */
  #faults(steps: number): ClusterFault[] {
    const order: ClusterFault[] = [];
    while (order.length < steps) {
      const left = [...CLUSTER_FAULTS];
      while (left.length > 0) order.push(...left.splice(this.#random.below(left.length), 1));
    }
    return order.slice(0, steps);
  }

  /** One change, and one fault at some moment of its publication. */
  async #step(tap: TapProcess, fault: ClusterFault): Promise<void> {
    const [site, random] = [this.#site, this.#random];
    const bad = random.chance(0.2) ? random.chance(0.6) ? "all" as const : "odd" as const : undefined;
    // The last good bytes of a Secret are kept by each replica for itself: one that dies forgets them.
    const garbage = random.chance(0.4) && !fault.name.includes("killed");
    const secret = random.chance(0.4) ? this.#rotate(NODE, garbage) : undefined;
    const before = random.chance(0.5);
    const broken = async () => {
      site.journal.add({ kind: "fault", fault: fault.name, ...(fault.silent && { silent: true }) });
      return await fault.break(site, random);
    };
    let mend = before ? await broken() : undefined;
    const written = this.#write(NODE, bad);
    await site.journal.further(1 + random.below(12), random.below(600));
    mend ??= await broken();
    if (random.chance(0.4)) await tap.tell({ do: "cut", client: random.pick(["delta", "odd", "sotw"]) });
    await site.journal.further(1 + random.below(12), random.below(600));
    await mend();
    site.journal.add({ kind: "healed", fault: fault.name });
    await Promise.all([written, secret]);
    if (secret && garbage) await this.#rotate(NODE);
    if (random.chance(0.5)) await this.#rest(NODE);
  }

  /** Many EnvoyConfigs are made and then changed, all at once, while a client comes, goes and refuses. */
  async #crowd(tap: TapProcess, count: number): Promise<void> {
    const { journal } = this.#site;
    const names = Array.from({ length: count }, (_, i) => `crowd-${i}`);
    journal.add({ kind: "fault", fault: "crowd" });
    let over = false;
    const flapping = (async () => {
      while (!over) {
        await tap.tell({ do: "cut", client: "odd" });
        await journal.further(20, 300);
      }
    })();
    for (let round = 0; round < 2; round++) {
      await Promise.all([this.#write(NODE, "odd"), ...names.map((name) => this.#write(name, undefined))]);
    }
    over = true;
    await flapping;
    journal.add({ kind: "healed", fault: "crowd" });
    for (const name of [NODE, ...names]) await this.#rest(name);
  }

  async #write(node: string, bad: "all" | "odd" | undefined): Promise<void> {
    const serial = ++this.#serial;
    const world = nextWorld(this.#random, { before: this.#worlds.get(node), serial, bad });
    this.#worlds.set(node, world);
    const { object, version, resources } = manifestOf(node, world);
    const event: WriteEvent = { kind: "write", node, serial, version, resources };
    this.#last.set(node, event);
    this.#site.journal.add(event);
    await this.#site.insist(object);
  }

  async #rotate(node: string, garbage = false): Promise<void> {
    const canary = crypto.getRandomValues(new Uint8Array(18)).toHex();
    const { object, hash } = secretOf(node, canary);
    this.#site.journal.add({ kind: "secret", node, name: "token", canary, ...(!garbage && { hash }) });
    await this.#site.insist(garbage ? garbageSecret(node, canary) : object);
  }

  /** Waits until what was written last is what is wanted. */
  async #rest(node: string): Promise<void> {
    const version = this.#last.get(node)?.version ?? "";
    await this.#until(node, `revision "${version}" of ${node}`, ({ desiredVersion }) => desiredVersion === version);
    this.#site.journal.add({ kind: "read", node, version });
  }

  async #until(node: string, what: string, check: (status: Record<string, unknown>) => boolean): Promise<void> {
    await eventually(async () => check(await this.#site.site.statusOf(node)), { what, deadlineMs: REST_MS });
  }

  /** Quiet: a last good configuration, one that all refuse and that is taken back, and one more. */
  async #end(tap: TapProcess): Promise<void> {
    const site = this.#site;
    await this.#rotate(NODE);
    await this.#good(tap);
    const good = this.#last.get(NODE)?.version;
    const world = this.#worlds.get(NODE);
    await this.#write(NODE, "all");
    const { version = "" } = this.#last.get(NODE) ?? {};
    await this.#rest(NODE);
    const start = site.journal.now();
    await this.#until(NODE, `the rollback to "${good}"`, ({ publishedVersion }) => publishedVersion === good).then(
      () => site.journal.add({ kind: "rolled back", node: NODE, version, afterMs: site.journal.now() - start }),
      () => site.journal.add({ kind: "rolled back", node: NODE, version }),
    );
    await this.#converge(tap, good);
    if (world) this.#worlds.set(NODE, world);
    await this.#good(tap);
    await site.keepOutput();
  }

  async #good(tap: TapProcess): Promise<void> {
    await this.#write(NODE, undefined);
    await this.#rest(NODE);
    await this.#converge(tap, this.#last.get(NODE)?.version);
  }

  async #converge(tap: TapProcess, version: string | undefined): Promise<void> {
    const { journal } = this.#site;
    const clients = this.#clients();
    const count = () => journal.entries.filter(({ kind }) => kind === "converged").length;
    const before = count();
    for (const { name, node } of clients) {
      const wanted = [...wantedOf(journal.entries, { node, version })];
      await tap.tell({ do: "converge", client: name, wanted });
    }
    await journal.until(() => count() >= before + clients.length, 20_000);
  }

  async #check(): Promise<string[]> {
    const site = this.#site;
    const faults: string[] = [];
    if (!await site.quiet(QUIET_MS, 40_000)) faults.push("I19: replicas go on writing although nothing changes");
    const { clients } = await site.site.statusOf(NODE) as { clients?: { connected?: number; accepted?: number } };
    if (clients?.connected !== 3 || clients.accepted !== 3) {
      faults.push(`I19: 3 clients have accepted all, and the status tells of ${JSON.stringify(clients)}`);
    }
    await site.look(true);
    for (const { name, process, output } of site.replicas) {
      if (process.ended) faults.push(`${name} has ended with code ${process.ended.code}`);
      site.journal.add({ kind: "output", source: `log of ${name}`, text: output });
      faults.push(...noErrorLoop(name, output.split("\n")));
    }
    site.journal.entries.sort((a, b) => a.at - b.at); // of two processes
    const log = site.journal.entries;
    const audit = await site.audit();
    const leaders = termsOf(audit, LEASE).length;
    return [
      ...faults,
      ...(leaders === 0 || audit.length < 20
        ? [`void: ${leaders} terms, ${audit.length} changes in the audit log`]
        : []),
      ...checkLog(log),
      ...onceEach(audit, log).slice(0, 5),
      ...oneWriter(audit, LEASE).slice(0, 5).map((fault) => `I11: ${fault}`),
      ...sameEverywhere(log).slice(0, 5),
    ];
  }
}
