import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import type { InstallSite } from "../../cluster/install/install_site.ts";
import { capture, type CommandResult } from "../../cluster/node/machine/run.ts";
import type { PodResponse } from "../../cluster/node/pod_request.ts";
import type { PodObject, Scene } from "../../cluster/node/scene.ts";

const ROOT = decodeURIComponent(new URL("../../../", import.meta.url).pathname);

/** A pod, as it is looked at here. */
export interface ExamplePod extends PodObject {
  readonly metadata: PodObject["metadata"] & { readonly uid: string; readonly deletionTimestamp?: string };
  readonly spec: PodObject["spec"] & {
    readonly containers: readonly Container[];
    readonly initContainers?: readonly Container[];
    readonly terminationGracePeriodSeconds: number;
  };
}

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly hostPort?: number }[];
  readonly lifecycle?: object;
  readonly resources?: object;
}

/** Where all examples are tried: each brings the same DiscoveryService along, and names of its own. */
export const NAMESPACE = "examples";
/** On a machine that has much else to do, in milliseconds. */
const DEADLINE_MS = 120_000;
/** What a command may take, in milliseconds: those that wait do so for pods. */
const COMMAND_MS = 100_000;

/** A folder of `manifests/examples`, tried as its comments say. */
export class Example {
  readonly scene: Scene;
  readonly #site: InstallSite;
  readonly #kubeconfig: string;
  /** Commands of the comments of its files. */
  readonly #commands: ReadonlySet<string>;

  private constructor(
    site: InstallSite,
    scene: Scene,
    { kubeconfig, commands }: { kubeconfig: string; commands: ReadonlySet<string> },
  ) {
    this.#site = site;
    this.scene = scene;
    this.#kubeconfig = kubeconfig;
    this.#commands = commands;
  }

  /** Reads what the folder's comments say to run. */
  static async open(site: InstallSite, folder: string): Promise<Example> {
    const config = JSON.parse(await Deno.readTextFile(site.cluster.kubeconfig));
    for (const { context } of config.contexts) context.namespace = NAMESPACE;
    const kubeconfig = `${site.cluster.directory}/${folder}.kubeconfig`;
    await Deno.writeTextFile(kubeconfig, JSON.stringify(config), { mode: 0o600 });
    return new Example(site, site.scene(NAMESPACE), { kubeconfig, commands: await commandsOf(folder) });
  }

  /** Runs a command of the comments, as whoever tries the example does. @returns what it printed */
  async run(command: string): Promise<string> {
    this.#expectTold(command);
    const { cluster } = this.#site;
    const path = `${cluster.kubectlPath.replace(/\/[^/]*$/, "")}:${Deno.env.get("PATH") ?? ""}`;
    const env = [
      `KUBECONFIG=${this.#kubeconfig}`,
      `KUBECACHEDIR=${cluster.directory}/kubectl-cache`,
      "KUBERC=off",
      `PATH=${path}`,
    ];
    const { code, stdout, stderr } = await twice((signal) =>
      capture(["env", "-C", ROOT, ...env, "sh", "-c", command], { signal })
    );
    if (code === 0) return stdout;
    throw new Error(`Cannot run ${JSON.stringify(command)}: ${stderr}\n${await this.#site.story()}`);
  }

  /** Runs a command of the comments where the ports of a pod are those of 127.0.0.1, as `kubectl port-forward` makes it. */
  async forwarded(pod: PodObject, command: string, { container = "envoy" } = {}): Promise<string> {
    this.#expectTold(command);
    const name = this.scene.name(pod.metadata.name);
    const { code, stdout, stderr } = await twice((signal) =>
      this.#site.node.exec(name, ["sh", "-c", command], { container, signal })
    );
    if (code !== 0) throw new Error(`Cannot run ${JSON.stringify(command)} in ${name.name}: ${stderr}`);
    return `${stdout}${stderr}`; // curl -v tells of certificates on the second
  }

  /** Sends a request from within a pod, by the names of the cluster. */
  async request(pod: PodObject, url: string): Promise<PodResponse> {
    return await this.#site.node.request(this.scene.name(pod.metadata.name), url);
  }

  /** Pods of a label, by name. */
  async pods(label: string): Promise<ExamplePod[]> {
    const query = encodeURIComponent(label);
    const { items } = await this.scene.get<{ items: ExamplePod[] }>(`pods?labelSelector=${query}`);
    return items;
  }

  /** The only pod of a label. */
  async pod(label: string): Promise<ExamplePod> {
    const pods = await this.pods(label);
    expect(pods.map(({ metadata }) => metadata.name)).toHaveLength(1);
    return pods[0]!;
  }

  /** Waits until this holds; a failure shows what the pods said last, and what `explain` gives. */
  async until(
    what: string,
    holds: () => boolean | Promise<boolean>,
    explain: () => string | Promise<string> = () => "",
  ): Promise<void> {
    await eventually(holds, {
      ...{ what, deadlineMs: DEADLINE_MS },
      explain: async () => `${await explain()}\n${await this.#site.story()}`,
    });
  }

  /** Waits until a pod is out of the API. */
  async gone({ metadata: { name } }: PodObject): Promise<void> {
    await this.until(
      `pod ${name} to be gone`,
      () => this.scene.pod(name).then(() => false, (thrown) => /: 404 /.test(String(thrown))),
    );
  }

  #expectTold(command: string): void {
    expect([...this.#commands]).toContain(command);
  }
}

/** Runs a command that may be repeated a second time when it has not ended in time. */
async function twice(run: (signal: AbortSignal) => Promise<CommandResult>): Promise<CommandResult> {
  const signal = AbortSignal.timeout(COMMAND_MS);
  const result = await run(signal);
  return signal.aborted ? await run(AbortSignal.timeout(COMMAND_MS)) : result;
}

/** What the comments of the files in a folder say to run: lines that begin with `#   `, up to a remark. */
async function commandsOf(folder: string): Promise<ReadonlySet<string>> {
  const commands = new Set<string>();
  const path = `${ROOT}manifests/examples/${folder}`;
  for await (const { name } of Deno.readDir(path)) {
    const lines = (await Deno.readTextFile(`${path}/${name}`)).split("\n");
    for (const line of lines.filter((line) => line.startsWith("#   "))) {
      commands.add(line.slice("#   ".length).replace(/ +# .*$/, ""));
    }
  }
  return commands;
}
