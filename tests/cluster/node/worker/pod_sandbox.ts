import { capture, type CaptureOptions, type CommandResult } from "../machine/run.ts";
import type { NodeFacts } from "../pod/field_ref.ts";
import type { Pod } from "../pod/pod.ts";
import { hostnameOf, hostsFile } from "../services/hosts_file.ts";
import { PodVolumes } from "./pod_volumes.ts";
import type { Surroundings } from "./surroundings.ts";
import { TokenKeeper } from "./token_keeper.ts";

/** What the containers of a Pod share: address and network, volumes, tokens, the names of others. */
export class PodSandbox {
  /** The Pod's folder, with its logs. */
  readonly folder: string;
  readonly address: string;
  readonly volumes: PodVolumes;
  readonly facts: NodeFacts;
  readonly #around: Surroundings;
  readonly #tokens: TokenKeeper;
  #namespace: string | undefined;
  #filling: Promise<void> = Promise.resolve();

  /** Takes an address; everything else is made later. */
  constructor(pod: Pod, nodeName: string, around: Surroundings) {
    this.#around = around;
    this.address = around.network.takeAddress();
    this.folder = `${around.directory}/pods/${pod.metadata.uid}`;
    this.#tokens = new TokenKeeper(around.client, pod);
    this.volumes = new PodVolumes({ folder: `${this.folder}/volumes`, objects: around.objects, tokens: this.#tokens });
    this.facts = {
      nodeName,
      hostIP: around.network.machine,
      podIP: this.address,
      capacity: { cpu: String(navigator.hardwareConcurrency), memory: String(Deno.systemMemoryInfo().total) },
    };
  }

  /** Name of the network namespace. @throws {Error} while there is none */
  get namespace(): string {
    if (this.#namespace === undefined) throw new Error("Cannot use the network of a Pod that has none yet");
    return this.#namespace;
  }

  /** When tokens are to be renewed, in milliseconds since the epoch. */
  get renewAt(): number {
    return this.#tokens.renewAt;
  }

  /** Makes what is not there yet. @throws {Error} in the kubelet's words when something is missing */
  async make(pod: Pod): Promise<void> {
    const { hostNetwork, shareProcessNamespace, securityContext } = pod.spec;
    if (hostNetwork || shareProcessNamespace) {
      throw new Error("the node has no hostNetwork and no shareProcessNamespace");
    }
    for (const name of ["volumes", "logs", "etc"]) await Deno.mkdir(`${this.folder}/${name}`, { recursive: true });
    await this.#around.objects.open(pod.metadata.namespace);
    await this.#tokens.renew(Date.now());
    await this.fill(pod);
    await this.writeNames(pod);
    this.#namespace ??= await this.#around.network.addPod(this.address, securityContext?.sysctls ?? []);
  }

  /** Removes everything but the logs. */
  async remove(): Promise<void> {
    await this.#filling.catch(() => {}); // what could not be filled was told already
    await this.#around.network.removePod(this.address);
    await Deno.remove(`${this.folder}/volumes`, { recursive: true });
  }

  /** Brings volumes up to date. One at a time, since two would meddle in one folder; what cannot be filled keeps its content. */
  async fill(pod: Pod): Promise<void> {
    this.#filling = this.#filling.catch(() => {}).then(() => this.volumes.fill(pod, this.facts));
    await this.#filling;
  }

  /** Gets new tokens and puts them into the volumes. */
  async renewTokens(pod: Pod): Promise<void> {
    await this.#tokens.renew(Date.now(), { force: true });
    await this.fill(pod);
  }

  /** Writes the names of Services and whatever else a Pod finds in `/etc`. */
  async writeNames(pod: Pod): Promise<void> {
    const etc = `${this.folder}/etc`;
    const services = this.#around.services();
    const slices = this.#around.slices();
    await replaceFile(`${etc}/hosts`, hostsFile({ pod, podIP: this.address, services, slices }));
    await replaceFile(`${etc}/hostname`, `${hostnameOf(pod)}\n`);
    // Nobody answers there, and says so at once: what hosts does not name does not exist.
    const search = `search ${pod.metadata.namespace}.svc.cluster.local svc.cluster.local cluster.local`;
    await replaceFile(`${etc}/resolv.conf`, `${search}\nnameserver 127.0.0.1\noptions ndots:5 timeout:1 attempts:1\n`);
  }

  /** Runs a program of the machine in the Pod's network. The Pod's file of names is its last argument. */
  async run(command: readonly string[], options: CaptureOptions = {}): Promise<CommandResult> {
    const names = `${this.folder}/etc/hosts`;
    return await capture(["nsenter", `--net=/run/netns/${this.namespace}`, ...command, names], options);
  }

  /** Cuts or mends the link to the network. */
  async setLink(state: "up" | "down"): Promise<void> {
    await this.#around.network.setLink(this.address, state);
  }
}

/** Puts a text in place of a file in one step. */
async function replaceFile(path: string, text: string): Promise<void> {
  const next = `${path}.${crypto.randomUUID().slice(0, 8)}`;
  await Deno.writeTextFile(next, text);
  await Deno.chmod(next, 0o644);
  await Deno.rename(next, path);
}
