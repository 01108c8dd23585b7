import { edsCluster, endpointSlice, envoyConfig, type Fields, listener } from "../envoy/harness/mod.ts";
import type { FaultSite } from "../cluster/faults/fault_site.ts";
import type { TapSpec } from "../cluster/faults/tap_main.ts";
import type { TapProcess } from "../cluster/faults/tap_process.ts";
import type { Random } from "../faults/random.ts";
import { garbageSecret, manifestOf, nextWorld, secretOf, type World } from "../faults/worlds.ts";

const NODES = ["edge", "side", "third", "fourth"];
/** EnvoyConfigs that come and go, so many at a time. */
const PASSING = 5;
/** Its endpoints are those of a Service. */
const SERVED = "service";

/** Constant change: configurations good and bad, Secrets, endpoints, clients, and node ids that come and go. */
export class Churn {
  readonly #site: FaultSite;
  readonly #tap: TapProcess;
  readonly #random: Random;
  readonly #worlds = new Map<string, World>();
  #serial = 0;
  #passed = 0;
  /** How often each sort of change was made. */
  readonly made: Record<string, number> = {};

  constructor(site: FaultSite, { tap, random }: { tap: TapProcess; random: Random }) {
    this.#site = site;
    this.#tap = tap;
    this.#random = random;
  }

  /** Clients of all nodes; `odd` refuses what the others take. */
  static clients(site: FaultSite): TapSpec[] {
    const ports = site.replicas.map(({ xdsPort }) => xdsPort);
    const turned = ports.toReversed();
    return [
      ...NODES.map((node): TapSpec => ({ name: node, node, protocol: "delta", ports })),
      { name: "odd", node: "edge", protocol: "delta", ports: turned },
      { name: "sotw", node: "edge", protocol: "sotw", ports: turned },
      { name: "endpoints", node: SERVED, protocol: "delta", ports: turned },
    ];
  }

  /** Everything that is changed later. */
  async begin(): Promise<void> {
    for (const node of NODES) {
      await this.#rotate(node, false);
      await this.#write(node, undefined);
    }
    await this.#endpoints();
    await this.#site.insist(served());
    for (let i = 0; i < PASSING; i++) await this.#pass();
  }

  /** One change. */
  async change(): Promise<void> {
    const random = this.#random;
    const node = random.pick(NODES);
    const which = random.below(100);
    if (which < 35) await this.#count("good configurations", this.#write(node, undefined));
    else if (which < 45) await this.#count("configurations that all refuse", this.#write(node, "all"));
    else if (which < 52) await this.#count("configurations that one refuses", this.#write("edge", "odd"));
    else if (which < 65) await this.#count("rotated Secrets", this.#rotate(node, random.chance(0.1)));
    else if (which < 80) await this.#count("changed endpoints", this.#endpoints());
    else if (which < 90) {
      const client = random.pick([...NODES, "odd", "sotw", "endpoints"]);
      await this.#count("broken streams", this.#tap.tell({ do: "cut", client }));
    } else await this.#count("node ids that came and went", this.#pass());
  }

  async #count(what: string, change: Promise<void>): Promise<void> {
    this.made[what] = (this.made[what] ?? 0) + 1;
    await change;
  }

  async #write(node: string, bad: "all" | "odd" | undefined): Promise<void> {
    const world = nextWorld(this.#random, { before: this.#worlds.get(node), serial: ++this.#serial, bad });
    if (!bad) this.#worlds.set(node, world);
    await this.#site.insist(manifestOf(node, world).object);
  }

  async #rotate(node: string, garbage: boolean): Promise<void> {
    const canary = crypto.getRandomValues(new Uint8Array(18)).toHex();
    await this.#site.insist(garbage ? garbageSecret(node, canary) : secretOf(node, canary).object);
  }

  async #endpoints(): Promise<void> {
    const addresses = Array.from({ length: 1 + this.#random.below(20) }, (_, i) => {
      return `10.1.${this.#random.below(250)}.${i + 1}`;
    });
    await this.#site.insist(endpointSlice("api", 8080, addresses));
  }

  /** One more, and the oldest goes. */
  async #pass(): Promise<void> {
    const node = `passing-${this.#passed++}`;
    await this.#write(node, undefined);
    this.#worlds.delete(node);
    if (this.#passed > PASSING) await this.#site.remove("EnvoyConfig", `passing-${this.#passed - PASSING - 1}`);
  }
}

function served(): Fields {
  const generateFromEndpointSlices = {
    selector: { matchLabels: { "kubernetes.io/service-name": "api" } },
    clusterName: "api",
    targetPort: "http",
  };
  return envoyConfig(SERVED, [
    edsCluster("api"),
    { type: "endpoint", generateFromEndpointSlices },
    listener("in", { port: 10000, routes: { cluster: "api" } }),
  ]);
}
