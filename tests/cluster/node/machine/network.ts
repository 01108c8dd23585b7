import { capture, ipBatch, run } from "./run.ts";
import { removeNamespace } from "./sweep.ts";

/** How many nodes can be on one machine at a time. */
const NETWORKS = 128;
/** Addresses of a network below this belong to the machine and the gateway. */
const FIRST_POD = 10;
const LAST_POD = 1020;

/**
 * The network of a node: a namespace with a bridge, one link to each Pod and one to the machine. Service addresses are those of the
 * namespace's loopback, where the proxy listens; so several control planes may give out the same ones.
 *
 * ```text
 *  machine  chnK 198.18.x.1 ──── uplink ┐
 *  Pod      eth0 198.18.x.10 ─── v10 ───┤ bridge 198.18.x.2   lo: 10.0.0.1, …   in namespace INSTANCE
 *  Pod      eth0 198.18.x.11 ─── v11 ───┘
 * ```
 *
 * 198.18.0.0/15 is kept for tests of networks by RFC 2544, so nothing else is to be found there.
 */
export class Network {
  /** The node's network namespace, named as the node. */
  readonly namespace: string;
  /** The first three of the four numbers in its addresses are no prefix: each node has 1024 addresses. */
  readonly #first: number;
  #lastPod = FIRST_POD - 1;
  readonly #taken = new Set<number>();
  /** Pods that are gone, to whom the node knows no way. */
  readonly #barred = new Set<number>();

  private constructor(namespace: string, number: number) {
    this.namespace = namespace;
    this.#first = (198 << 24 >>> 0) + (18 << 16) + number * 1024;
  }

  /** Makes the namespace, the bridge and the link to the machine. */
  static async make(namespace: string): Promise<Network> {
    await run(["ip", "netns", "add", namespace]);
    const number = await claim(namespace);
    const network = new Network(namespace, number);
    await ipBatch([
      // An address of its own: else it is that of one of its ports, and changes under the Pods when that one goes.
      "link add bridge address 02:00:00:00:00:02 type bridge",
      `address add ${network.gateway}/22 dev bridge`,
      "link set uplink master bridge up",
      "link set bridge up",
      "link set lo up",
    ], namespace);
    await ipBatch([`address add ${network.machine}/22 dev chn${number}`, `link set chn${number} up`]);
    return network;
  }

  /** The machine, as Pods reach it. */
  get machine(): string {
    return this.#address(1);
  }

  /** The node, as Pods reach it. */
  get gateway(): string {
    return this.#address(2);
  }

  /** Takes an address that was not in use for as long as possible. */
  takeAddress(): string {
    for (let tries = FIRST_POD; tries <= LAST_POD; tries++) {
      this.#lastPod = this.#lastPod >= LAST_POD ? FIRST_POD : this.#lastPod + 1;
      if (this.#taken.has(this.#lastPod)) continue;
      this.#taken.add(this.#lastPod);
      return this.#address(this.#lastPod);
    }
    throw new Error(`Cannot give a Pod an address: all ${LAST_POD - FIRST_POD + 1} are in use`);
  }

  /** Makes the network namespace of a Pod, all of it or nothing. */
  async addPod(address: string, sysctls: readonly { name: string; value: string }[]): Promise<string> {
    const number = this.#numberOf(address);
    const pod = `${this.namespace}-${number}`;
    try {
      await this.#connect(pod, number, address);
      for (const { name, value } of sysctls) {
        const path = `/proc/sys/${name.replaceAll(".", "/")}`;
        await run(["ip", "netns", "exec", pod, "sh", "-c", 'printf %s "$1" >"$2"', "sh", value, path]);
      }
    } catch (error) {
      await removeNamespace(pod);
      throw error;
    }
    return pod;
  }

  async #connect(pod: string, number: number, address: string): Promise<void> {
    await run(["ip", "netns", "add", pod]);
    await ipBatch([
      ...(this.#barred.delete(number) ? [`route delete unreachable ${address}`] : []),
      `link add v${number} type veth peer name uplink netns ${pod}`,
      `link set v${number} master bridge up`,
    ], this.namespace);
    await ipBatch([
      "link set lo up",
      "link set uplink name eth0",
      `address add ${address}/22 dev eth0`,
      "link set eth0 up",
      `route add default via ${this.gateway}`,
    ], pod);
  }

  /** Cuts the cable of a Pod, or mends it: what is under way then is lost without a word. */
  async setLink(address: string, state: "up" | "down"): Promise<void> {
    await ipBatch([`link set v${this.#numberOf(address)} ${state}`], this.namespace);
  }

  /** Ends what still runs in a Pod's namespace and removes it. */
  async removePod(address: string): Promise<void> {
    const number = this.#numberOf(address);
    // Whoever still turns to the Pod is told at once that it is gone, instead of asking the network for seconds.
    const bar = ["route", "add", "unreachable", address];
    if ((await capture(["ip", "-netns", this.namespace, ...bar])).code === 0) this.#barred.add(number);
    await capture(["ip", "-netns", this.namespace, "link", "delete", `v${number}`]);
    await removeNamespace(`${this.namespace}-${number}`);
    this.#taken.delete(number);
  }

  #address(number: number): string {
    const value = this.#first + number;
    return [24, 16, 8, 0].map((shift) => value >>> shift & 255).join(".");
  }

  #numberOf(address: string): number {
    return address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0) - this.#first;
  }
}

/** The name of an interface is also the claim to a network: of two who want it, the kernel gives it to one. */
async function claim(namespace: string): Promise<number> {
  let last = "";
  for (let tries = 0; tries < NETWORKS; tries++) {
    const number = (Deno.pid + tries) % NETWORKS;
    const link = `link add chn${number} type veth peer name uplink netns ${namespace}`;
    const { code, stderr } = await capture(["ip", ...link.split(" ")]);
    if (code === 0) return number;
    if (!stderr.includes("File exists")) throw new Error(`Cannot add a link for ${namespace}: ${stderr.trim()}`);
    last = stderr.trim();
  }
  throw new Error(`Cannot find a free network for ${namespace}: ${last}`);
}
