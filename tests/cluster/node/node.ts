import { KubeClient, type KubeObject } from "./kube/client.ts";
import { Informer } from "./kube/informer.ts";
import { Network } from "./machine/network.ts";
import { instanceName } from "./machine/owner.ts";
import type { CaptureOptions, CommandResult } from "./machine/run.ts";
import { HOME, sweep, sweepDead } from "./machine/sweep.ts";
import type { Images } from "./pod/image.ts";
import type { Pod } from "./pod/pod.ts";
import type { PodRequest, PodResponse } from "./pod_request.ts";
import { Registration } from "./registration.ts";
import { ServiceNetwork } from "./services/service_network.ts";
import { ObjectCache } from "./worker/object_cache.ts";
import { type PodName, PodWorkers } from "./worker/pod_workers.ts";
import type { NodeTimes, Surroundings } from "./worker/surroundings.ts";

/** The control plane that a node belongs to. */
export interface NodeControlPlane {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  /** Tells the API server where a Service's port is answered, for webhooks of type Service; `undefined`: nowhere. */
  route?(clusterIP: string, port: number, address: string | undefined): Promise<void>;
}

/** Options of {@linkcode startNode}. */
export interface NodeOptions {
  readonly controlPlane: NodeControlPlane;
  /** What stands for each container image. */
  readonly images: Images;
  /** The only namespaces whose Pods are run; all of them when absent. Name them on a control plane that others use too. */
  readonly namespaces?: readonly string[];
  /** How many Nodes to register; they share a network, so that their Pods reach each other. Default 1. */
  readonly nodes?: number;
  readonly labels?: Readonly<Record<string, string>>;
  /** From a change of a Secret or ConfigMap until volumes show it. Default 0; a kubelet takes up to 90 s. */
  readonly volumeDelayMs?: number;
  /** Delay of a container's second restart in a row, and the longest. Default 500 ms and 10 s; a kubelet's are 10 s and 5 min. */
  readonly restartDelay?: { readonly baseMs: number; readonly maxMs: number };
  /** Startup and readiness probes are asked at least this often, so that tests hear good news soon. Default 500 ms. */
  readonly maxProbePeriodMs?: number;
}

/** Label of the Nodes of one {@linkcode ProcessNode}. */
const NODE_LABEL = "chancery.test/node";
const REQUEST_PROGRAM = new URL("pod_request.ts", import.meta.url).pathname;

let made = 0;

/** A kubelet whose containers are processes of this machine; see `mod.ts`. */
export class ProcessNode implements AsyncDisposable {
  /** Names of the Nodes. */
  readonly names: readonly string[];
  /** The machine's address for Pods: what listens on it, or on 0.0.0.0, can be reached by them. */
  readonly machineAddress: string;
  readonly #workers: PodWorkers;
  readonly #times: NodeTimes;
  readonly #cleanup: AsyncDisposableStack;

  /** The parts, which end with `cleanup`. */
  constructor(
    names: readonly string[],
    around: Surroundings,
    parts: { workers: PodWorkers; cleanup: AsyncDisposableStack },
  ) {
    this.names = names;
    this.machineAddress = around.network.machine;
    this.#times = around.times;
    this.#workers = parts.workers;
    this.#cleanup = parts.cleanup;
  }

  /** The Pods that the node has, as it last saw them. */
  get pods(): Pod[] {
    return this.#workers.pods;
  }

  /** From a change of a Secret or ConfigMap until volumes show it, from now on. */
  set volumeDelayMs(value: number) {
    this.#times.volumeDelayMs = value;
  }

  /** What a container has written in its present (or last) life, or in all of them. Kept when the Pod goes. */
  async logs(pod: PodName, container?: string, options: { readonly all?: boolean } = {}): Promise<string> {
    return await this.#workers.get(pod).logs(container, options);
  }

  /** Runs a command in a container, with its rights and variables. @throws {Error} when the container does not run */
  async exec(
    pod: PodName,
    command: readonly string[],
    options: CaptureOptions & { readonly container?: string } = {},
  ): Promise<CommandResult> {
    return await this.#workers.get(pod).process(options.container).exec(command, options);
  }

  /** Sends an HTTP request from within a Pod: its network, its names. @throws {Error} when there was no response */
  async request(pod: PodName, request: PodRequest | string): Promise<PodResponse> {
    const stdin = JSON.stringify(typeof request === "string" ? { url: request } : request);
    const command = [Deno.execPath(), "run", "--quiet", "--allow-all", "--no-check", REQUEST_PROGRAM];
    const { code, stdout, stderr } = await this.#workers.get(pod).sandbox.run(command, { stdin });
    if (code !== 0) throw new Error(`Cannot send a request from pod "${pod.name}": ${stderr.trim()}`);
    // Printed by our own program.
    return JSON.parse(stdout) as PodResponse;
  }

  /** Sends a signal to the first process of a container. @throws {Error} when the container does not run */
  signal(pod: PodName, signal: Deno.Signal, container?: string): void {
    this.#workers.get(pod).process(container).signal(signal);
  }

  /** Cuts a Pod off the network, or connects it again: what is under way meanwhile is lost without a word. */
  async setLink(pod: PodName, state: "up" | "down"): Promise<void> {
    await this.#workers.get(pod).sandbox.setLink(state);
  }

  /** Gives a Pod new service account tokens now, as after four fifths of their life. */
  async renewTokens(pod: PodName): Promise<void> {
    const worker = this.#workers.get(pod);
    await worker.sandbox.renewTokens(worker.pod);
  }

  /** Ends all processes, takes Pods and Nodes out of the API and removes what was made on this machine. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanup[Symbol.asyncDispose]();
  }
}

/** Makes the network, registers the Nodes and begins to run their Pods. */
export async function startNode(options: NodeOptions): Promise<ProcessNode> {
  await sweepDead();
  const { controlPlane, nodes = 1, labels = {} } = options;
  const instance = instanceName(made++);
  const directory = `${HOME}/${instance}`;
  await using stack = new AsyncDisposableStack();
  stack.defer(() => sweep(instance));
  const client = stack.use(await KubeClient.open(controlPlane.kubeconfig));
  await Deno.mkdir(directory);
  const network = await Network.make(instance);

  const objects = stack.use(new ObjectCache(client, (namespace) => workers.objectsChanged(namespace)));
  const services = stack.use(
    new ServiceNetwork({
      client,
      network,
      onChange: () => workers.servicesChanged(),
      route: async (...route) => await controlPlane.route?.(...route),
    }),
  );
  const around: Surroundings = {
    client,
    network,
    directory,
    images: options.images,
    times: {
      volumeDelayMs: options.volumeDelayMs ?? 0,
      restartDelay: options.restartDelay ?? { baseMs: 500, maxMs: 10_000 },
      maxProbePeriodMs: options.maxProbePeriodMs ?? 500,
    },
    objects,
    services: () => services.services,
    slices: () => services.slices,
  };
  const workers = stack.use(new PodWorkers(around, options.namespaces));
  await services.ready();

  const selector = { [NODE_LABEL]: instance };
  for (const namespace of options.namespaces ?? []) await keepOn(client, namespace, instance);
  const names = Array.from({ length: nodes }, (_, index) => nodes === 1 ? instance : `${instance}-n${index + 1}`);
  for (const name of names) {
    stack.use(
      new Informer<Pod & KubeObject>({
        client,
        path: "/api/v1/pods",
        query: { fieldSelector: `spec.nodeName=${name}` },
        onChange: (pod, before) => workers.changed(name, pod, before),
      }),
    );
    stack.use(await Registration.make({ client, name, labels: { ...labels, ...selector }, address: network.machine }));
  }
  return new ProcessNode(names, around, { workers, cleanup: stack.move() });
}

/** Sends the Pods of a namespace to these Nodes only: an API server with the admission plugin PodNodeSelector heeds the annotation. */
async function keepOn(client: KubeClient, namespace: string, instance: string): Promise<void> {
  await client.request("PATCH", `/api/v1/namespaces/${namespace}`, {
    contentType: "application/merge-patch+json",
    body: { metadata: { annotations: { "scheduler.alpha.kubernetes.io/node-selector": `${NODE_LABEL}=${instance}` } } },
  });
}
