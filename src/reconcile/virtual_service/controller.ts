import { canonicalJson, type Finding, type ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { Hub, StreamInfo } from "../../xds/mod.ts";
import { keyOf, type ObjectEvent } from "../engine/object_source.ts";
import { WorkQueue, type WorkResult } from "../engine/work_queue.ts";
import { namespaceOf } from "./client_keys.ts";
import { ClientsOfServices } from "./clients_of_services.ts";
import { LayersOfPods } from "./layers_of_pods.ts";
import type { Collision } from "./merge.ts";
import { StatusWriter, type StatusWriterOptions } from "./status_writer.ts";
import { MeshWorld } from "./world.ts";

/** Options of {@linkcode VirtualServiceController}. */
export interface VirtualServiceControllerOptions extends StatusWriterOptions {
  readonly registry: Registry;
  /** Who leads layers to the clients, and knows what they make of them. */
  readonly hub: Pick<Hub, "setLayer" | "removeLayer" | "seatsOf">;
  /** What connected Envoys get when their pod is gone. */
  readonly onDelete: "keep" | "empty";
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** Told after each change of what is served. */
  readonly onLook?: () => void;
  /** Told when something failed and will be repeated. */
  readonly onError?: (what: string, failure: { error: unknown; retryInMs?: number }) => void;
}

/** A VirtualService of which there is something to say. */
export interface ServiceReport {
  readonly key: ObjectKey;
  readonly findings: readonly Finding[];
  readonly collisions: readonly Collision[];
}

const LAYERS = "layers", CLIENTS = "clients";
/** What Envoys answer within this time is looked at once; a change and its answers are one write. In milliseconds. */
const CLIENTS_DELAY_MS = 50, STATUS_DELAY_MS = 250;
const WRITES_AT_ONCE = 8;
const BACKOFF = { baseMs: 100, maxMs: 60_000, jitter: 0.5 };

/**
 * Brings VirtualServices to the Envoys of the pods that they select. Looks at what is there and not at what happened; what an Envoy says,
 * or that there is none, holds up nothing. Of several replicas one writes the statuses, the others add what their Envoys say.
 */
export class VirtualServiceController {
  readonly #options: VirtualServiceControllerOptions;
  readonly #world: MeshWorld;
  readonly #layers: LayersOfPods;
  readonly #clients: ClientsOfServices;
  readonly #writer: StatusWriter;
  readonly #labelled = new Map<string, number>(); // streams by node id
  /** What is served waits for no write. */
  #queue: WorkQueue | undefined;
  #statuses: WorkQueue | undefined; // by service
  #synced = false;

  constructor(options: VirtualServiceControllerOptions) {
    this.#options = options;
    this.#world = new MeshWorld(options.registry);
    this.#layers = new LayersOfPods(options);
    this.#clients = new ClientsOfServices(options.hub);
    this.#writer = new StatusWriter(options);
  }

  /** Starts and resolves once every pod has what the store knows. Goes on until `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("A VirtualServiceController starts once");
    const { store, clock, random, onError } = this.#options;
    const common = { clock, random, signal, backoff: BACKOFF, ...(onError && { onError }) };
    const look = (what: string) => Promise.resolve(what === LAYERS ? this.#look() : this.#lookAtClients());
    const queue = this.#queue = new WorkQueue({ ...common, work: look });
    this.#statuses = new WorkQueue({ ...common, concurrency: WRITES_AT_ONCE, work: (id) => this.#tell(id) });
    await store.watch(["VirtualService", "Pod"], (event) => this.#take(event), { signal });
    this.#synced = true; // looking before all is there would take from clients what is on its way
    queue.add(LAYERS);
    await queue.idle();
  }

  /** A client has said who it is. */
  opened({ node }: StreamInfo): void {
    if (!node.labels) return;
    const streams = this.#labelled.get(node.id) ?? 0;
    this.#labelled.set(node.id, streams + 1);
    if (streams > 0) return;
    const id = labelledId(node.id);
    this.#world.takePod(id, { id, namespace: namespaceOf(node), labels: Object.fromEntries(node.labels) });
    this.#lookSoon();
  }

  closed({ node }: StreamInfo): void {
    this.progressed(node.id);
    if (!node.labels) return;
    const streams = (this.#labelled.get(node.id) ?? 0) - 1;
    if (streams > 0) return void this.#labelled.set(node.id, streams);
    this.#labelled.delete(node.id);
    this.#world.takePod(labelledId(node.id), undefined);
    this.#lookSoon();
  }

  /** What the Envoys of a node id make of what they get may have changed. */
  progressed(nodeId: string): void {
    if (!this.#queue) return; // nothing is on offer, and whatever is later is told then
    this.#clients.touch(nodeId);
    this.#queue.addAfter(CLIENTS, CLIENTS_DELAY_MS);
  }

  /** This replica leads from now on, or no longer. */
  leadershipChanged(): void {
    for (const { id } of this.#world.services()) this.#statusSoon(id);
    for (const id of this.#world.leavingIds()) this.#statusSoon(id);
  }

  /** Another replica came or went. */
  replicasChanged(): void {
    this.leadershipChanged();
  }

  /** How many things could not be brought to what they should be; they are tried again. */
  get failing(): number {
    return (this.#queue?.failing ?? 0) + (this.#statuses?.failing ?? 0);
  }

  /** Resolves when every pod has what is known now. */
  idle(): Promise<void> {
    return this.#queue?.idle() ?? Promise.resolve();
  }

  /** What there is to say of each VirtualService, sorted. */
  reports(): ServiceReport[] {
    return [...this.#world.services()].sort((a, b) => (a.id < b.id ? -1 : 1)).map(({ id, object, findings }) => ({
      key: keyOf(object),
      findings,
      collisions: this.#collisionsOf(id),
    }));
  }

  #take(event: ObjectEvent): void {
    this.#world.take(event);
    this.#lookSoon();
    const { kind, namespace, name } = keyOf(event.object);
    if (kind === "VirtualService") this.#statusSoon(`${namespace}/${name}`);
  }

  #lookSoon(): void {
    if (this.#synced) this.#queue?.add(LAYERS);
  }

  #statusSoon(id: string): void {
    this.#statuses?.addAfter(id, STATUS_DELAY_MS);
  }

  #look(): void {
    const { pods, services } = this.#world.update();
    for (const [id, merged] of pods) this.#layers.set(id, { pod: this.#world.pod(id), merged });
    for (const id of services) this.#statusSoon(id);
    this.#options.onLook?.();
  }

  #lookAtClients(): void {
    for (const id of this.#clients.look()) this.#statusSoon(id);
  }

  async #tell(id: string): Promise<WorkResult | void> {
    const service = this.#world.get(id);
    if (service) {
      const { object, pods, findings } = service;
      const [clients, collisions] = [this.#clients.of(id), this.#collisionsOf(id)];
      return await this.#writer.tell({ object, pods: pods.size, findings, collisions, clients });
    }
    const [namespace = "", name = ""] = id.split("/");
    await this.#writer.forget({ kind: "VirtualService", namespace, name }, this.#world.leaving(id));
  }

  /** What is left out of a VirtualService, each once. */
  #collisionsOf(id: string): Collision[] {
    const pods = this.#world.get(id)?.pods ?? [];
    const all = [
      ...[...pods].flatMap((pod) => this.#world.mergedOf(pod).collisions.filter(({ owner }) => owner === id)),
      ...this.#clients.of(id).flatMap(({ collisions }) => collisions),
    ];
    return [...new Map(all.map((one) => [canonicalJson(one), one]))].sort().map(([, one]) => one);
  }
}

/** No pod is called like this: names of namespaces hold no spaces. */
function labelledId(nodeId: string): string {
  return `node ${nodeId}`;
}
