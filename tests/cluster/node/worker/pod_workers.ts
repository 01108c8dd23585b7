import type { KubeClient } from "../kube/client.ts";
import { keyOf } from "../kube/informer.ts";
import { KubeError } from "../kube/client.ts";
import type { Pod } from "../pod/pod.ts";
import { PodWorker } from "./pod_worker.ts";
import type { Surroundings } from "./surroundings.ts";

/** Who is meant. */
export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

/** The workers of all Pods of a node. */
export class PodWorkers implements AsyncDisposable {
  readonly #around: Surroundings;
  readonly #namespaces: readonly string[] | undefined;
  /** Those that have something to do, by uid. */
  readonly #active = new Map<string, PodWorker>();
  /** The newest of each name, also after its end, for its logs. */
  readonly #latest = new Map<string, PodWorker>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #closed = false;

  /** Pods of other `namespaces` are left alone; without any, none are. */
  constructor(around: Surroundings, namespaces: readonly string[] | undefined) {
    this.#around = around;
    this.#namespaces = namespaces;
  }

  /** The Pods that the node has, as it last saw them. */
  get pods(): Pod[] {
    return [...this.#active.values()].map(({ pod }) => pod);
  }

  /** The worker of a Pod. @throws {Error} when the node never had one of this name */
  get(pod: PodName): PodWorker {
    const worker = this.#latest.get(keyOf({ metadata: pod }));
    if (!worker) throw new Error(`Cannot find pod "${pod.namespace}/${pod.name}": it was never on this node`);
    return worker;
  }

  /** A Pod came, changed or went. */
  changed(nodeName: string, pod: Pod | undefined, before: Pod | undefined): void {
    if (this.#closed) return;
    if (before && before.metadata.uid !== pod?.metadata.uid) this.#active.get(before.metadata.uid)?.removed();
    if (!pod || (this.#namespaces && !this.#namespaces.includes(pod.metadata.namespace))) return;
    const { uid } = pod.metadata;
    const known = this.#active.get(uid);
    if (known) return known.update(pod);
    // What has ended before this node began has no processes; whoever deletes it waits for nobody.
    const forget = () => this.#active.delete(uid);
    const worker = new PodWorker(pod, { nodeName, around: this.#around, onFinished: forget });
    this.#active.set(uid, worker);
    this.#latest.set(keyOf(pod), worker);
  }

  /** A ConfigMap or Secret of a namespace changed: volumes show it after the delay that is set. */
  objectsChanged(namespace: string): void {
    const { volumeDelayMs } = this.#around.times;
    if (volumeDelayMs === 0) return this.#tellOfObjects(namespace);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#tellOfObjects(namespace);
    }, volumeDelayMs);
    this.#timers.add(timer);
  }

  /** Services changed: their names are written anew. */
  servicesChanged(): void {
    for (const worker of this.#active.values()) worker.servicesChanged();
  }

  /** Kills everything and takes the Pods out of the API, so that no other node is asked to end them. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    const workers = [...this.#active.values()];
    await Promise.all(workers.map((worker) => worker.kill()));
    await removeFromApi(this.#around.client, workers.map(({ pod }) => pod));
  }

  #tellOfObjects(namespace: string): void {
    for (const worker of this.#active.values()) {
      if (worker.pod.metadata.namespace === namespace) worker.objectsChanged();
    }
  }
}

async function removeFromApi(client: KubeClient, pods: readonly Pod[]): Promise<void> {
  for (const { metadata } of pods) {
    const path = `/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`;
    try {
      await client.request("DELETE", path, {
        body: { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } },
      });
    } catch (error) {
      // Refused: it is gone already. Not even refused: so is the API server, with all the others.
      if (!(error instanceof KubeError)) return;
    }
  }
}
