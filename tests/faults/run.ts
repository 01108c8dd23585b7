import { eventually, type Fields } from "../envoy/harness/mod.ts";
import { converge, wantedOf } from "./converge.ts";
import { type Fault, FAULTS } from "./faults.ts";
import type { Log, WriteEvent } from "./journal.ts";
import { Random } from "./random.ts";
import { Site } from "./site.ts";
import { TapClient } from "./tap_client.ts";
import { garbageSecret, manifestOf, nextWorld, secretOf, type World } from "./worlds.ts";

/** Options of {@linkcode faultRun}. */
export interface RunOptions {
  readonly seed: number;
  /** How many faults. */
  readonly steps: number;
  /** Gets the journal, also of a run that did not come to its end. */
  readonly journal?: string;
  /** Ends it before its time. */
  readonly signal?: AbortSignal;
}

/** What a run was. */
export interface RunResult {
  readonly log: Log;
  /** Faults that this machine does not allow for. */
  readonly skipped: readonly string[];
}

const NODE = "edge";
/** A second node, which must not notice: nothing of its own ever goes wrong. */
const NEIGHBOUR = "side";
const FILE = `${NODE}.yaml`;
const SECRET_FILE = "token.yaml";

/** Publishes configurations and breaks things meanwhile, and writes down what happened. Checking is for afterwards. */
export async function faultRun(options: RunOptions): Promise<RunResult> {
  await using site = await Site.open();
  try {
    const run = new Run(site, options);
    await run.all();
    const skipped = FAULTS.filter((fault) => fault.possible?.(site) === false).map(({ name }) => name);
    return { log: site.journal.entries, skipped };
  } finally {
    if (options.journal !== undefined) await site.journal.write(options.journal);
  }
}

/** The part of the answer that is looked at. */
interface ConfigsAnswer extends Fields {
  readonly configs: readonly {
    readonly nodeId: string;
    readonly status: { readonly desiredVersion?: string; readonly publishedVersion?: string };
  }[];
}

class Run {
  readonly #site: Site;
  readonly #random: Random;
  readonly #steps: number;
  readonly #signal: AbortSignal | undefined;
  #world: World | undefined;
  #serial = 0;
  #last: WriteEvent | undefined;

  constructor(site: Site, { seed, steps, signal }: RunOptions) {
    this.#site = site;
    this.#random = new Random(seed);
    this.#steps = steps;
    this.#signal = signal;
  }

  async all(): Promise<void> {
    const site = this.#site;
    this.#neighbour();
    this.#rotate();
    this.#write(undefined);
    await site.start();
    const to = { ports: [site.chancery.xdsPort], journal: site.journal };
    await using delta = new TapClient({ name: "delta", node: NODE, protocol: "delta", ...to });
    await using odd = new TapClient({ name: "odd", node: NODE, protocol: "delta", ...to });
    await using sotw = new TapClient({ name: "sotw", node: NODE, protocol: "sotw", ...to });
    await using side = new TapClient({ name: "side", node: NEIGHBOUR, protocol: "delta", ...to });
    const clients = [delta, odd, sotw, side];
    for (let step = 0; step < this.#steps; step++) {
      this.#signal?.throwIfAborted();
      await this.#step(clients);
    }
    await this.#end(clients);
  }

  /** One change, and one fault at some moment of its publication. */
  async #step(clients: readonly TapClient[]): Promise<void> {
    const random = this.#random;
    const site = this.#site;
    const fault = random.pick(FAULTS.filter((one) => one.possible?.(site) !== false));
    const before = random.chance(0.5);
    if (before) this.#break(fault);
    if (random.chance(0.25)) this.#rotate({ garbage: random.chance(0.5) });
    const changed = random.chance(0.85);
    const bad = random.chance(0.2) ? random.chance(0.6) ? "all" : "odd" : undefined;
    if (changed) this.#write(bad, before || random.chance(0.5) ? fault : undefined);
    await this.#moment();
    if (!before) {
      this.#break(fault);
      await this.#moment();
    }
    if (random.chance(0.3)) { for (let times = 1 + random.below(3); times > 0; times--) await this.#cut(clients); }
    if (random.chance(0.5)) await this.#killed();
    else if (random.chance(0.05)) await this.#restarted();
    fault.heal(site);
    site.putAll();
    site.journal.add({ kind: "healed", fault: fault.name });
    if (random.chance(0.5)) await this.#rest();
  }

  #break(fault: Fault): void {
    this.#site.journal.add({ kind: "fault", fault: fault.name });
    fault.break(this.#site, this.#random);
  }

  /** Some point between two messages, or none at all. */
  async #moment(): Promise<void> {
    const random = this.#random;
    await this.#site.journal.further(1 + random.below(12), random.below(500));
  }

  async #cut(clients: readonly TapClient[]): Promise<void> {
    this.#random.pick(clients).cut();
    await this.#site.journal.further(4, this.#random.below(200));
  }

  /** Killed, and killed again while it starts, up to three times. */
  async #killed(): Promise<void> {
    const random = this.#random;
    const site = this.#site;
    await site.kill();
    if (random.chance(0.5)) await site.look(false);
    while (random.chance(0.3)) {
      await site.start({ unready: true });
      await site.journal.further(1000, 100 + random.below(900));
      await site.kill();
    }
    await site.start();
  }

  async #restarted(): Promise<void> {
    await this.#site.stop();
    await this.#site.look(false);
    await this.#site.start();
  }

  /** Decides on a new configuration; it is in the directory now, unless a fault has the file or the directory: then when it is mended. */
  #write(bad: "all" | "odd" | undefined, broken?: Fault): void {
    const serial = ++this.#serial;
    this.#world = nextWorld(this.#random, { before: this.#world, serial, bad });
    const { object, version, resources } = manifestOf(NODE, this.#world);
    this.#site.want(FILE, [object]);
    this.#last = { kind: "write", node: NODE, serial, version, resources };
    this.#site.journal.add(this.#last);
    if (!broken?.name.startsWith("file") && directoryIs(this.#site)) this.#site.put(FILE);
  }

  #rotate({ garbage = false } = {}): void {
    const site = this.#site;
    const canary = crypto.getRandomValues(new Uint8Array(18)).toHex();
    const { object, hash } = secretOf(NODE, canary);
    const secret = garbage ? garbageSecret(NODE, canary) : object;
    site.want(SECRET_FILE, [secret]);
    site.journal.add({ kind: "secret", node: NODE, name: "token", canary, ...(!garbage && { hash }) });
    if (directoryIs(site)) site.put(SECRET_FILE);
  }

  #neighbour(): void {
    const site = this.#site;
    const { object, version, resources } = manifestOf(NEIGHBOUR, nextWorld(this.#random, { serial: 0 }));
    const canary = crypto.getRandomValues(new Uint8Array(18)).toHex();
    const secret = secretOf(NEIGHBOUR, canary);
    site.want("side.yaml", [object, secret.object]);
    site.journal.add({ kind: "write", node: NEIGHBOUR, serial: 0, version, resources });
    site.journal.add({ kind: "secret", node: NEIGHBOUR, name: "token", canary, hash: secret.hash });
    site.put("side.yaml");
  }

  /** Waits until what is in the directory is what is wanted. */
  async #rest(): Promise<void> {
    const site = this.#site;
    const { version, node } = this.#last!; // the first thing a run does is to write
    await eventually(async () => {
      const { configs } = await site.ask("/configs") as {
        configs: { nodeId: string; status: { desiredVersion?: string } }[];
      };
      return configs.find(({ nodeId }) => nodeId === node)?.status.desiredVersion === version;
    }, { what: `revision "${version}"`, deadlineMs: 15_000, explain: () => site.chancery.process.tail() });
    site.journal.add({ kind: "read", node, version });
  }

  /** Quiet: a last good configuration, which all must get. */
  async #end(clients: readonly TapClient[]): Promise<void> {
    const site = this.#site;
    this.#rotate();
    this.#write(undefined);
    await this.#rest();
    await this.#convergeAll(clients, this.#last?.version);
    await this.#refusal(clients);
    this.#write(undefined);
    await this.#rest();
    await this.#convergeAll(clients, this.#last?.version);
    for (
      const path of [
        "/status",
        "/configs",
        "/served?node=edge&resource=SDS/token",
        "/history?namespace=default&name=edge",
      ]
    ) {
      await site.ask(path);
    }
    const { body } = await site.chancery.get("/metrics");
    site.journal.add({ kind: "output", source: "/metrics", text: body });
    for (const client of clients) await client[Symbol.asyncDispose](); // may be called twice
    await site.stop();
    await site.look(true);
    site.keepOutput();
  }

  /** What all refuse is taken back, and all hold what was there before. */
  async #refusal(clients: readonly TapClient[]): Promise<void> {
    const site = this.#site;
    const good = this.#last?.version;
    const before = this.#world;
    this.#write("all");
    await this.#rest();
    const { journal } = site;
    const start = journal.now();
    const version = this.#last!.version; // just written
    await eventually(async () => {
      const { configs } = await site.ask("/configs") as ConfigsAnswer;
      return configs.find(({ nodeId }) => nodeId === NODE)?.status.publishedVersion === good;
    }, { what: `the rollback to "${good}"`, deadlineMs: 15_000 }).then(
      () => journal.add({ kind: "rolled back", node: NODE, version, afterMs: journal.now() - start }),
      () => journal.add({ kind: "rolled back", node: NODE, version }),
    );
    await this.#convergeAll(clients, good);
    this.#world = before;
  }

  async #convergeAll(clients: readonly TapClient[], version: string | undefined): Promise<void> {
    const { journal } = this.#site;
    await Promise.all(clients.map((client) => {
      return converge(client, { wanted: wantedOf(journal.entries, { node: client.node, version }), journal });
    }));
  }
}

function directoryIs(site: Site): boolean {
  try {
    return Deno.statSync(site.dir).isDirectory && Deno.statSync(`${site.dir}/side.yaml`).isFile;
  } catch {
    return false;
  }
}
