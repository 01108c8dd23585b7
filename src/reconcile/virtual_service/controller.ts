import { sameStatus } from "../../api/mod.ts";
import { MESH_FINALIZER, type MeshReplicaReport, type VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import { canonicalJson, type Clock, type Finding, type ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { Hub, StreamInfo } from "../../xds/mod.ts";
import { applyStatuses } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectEvent, type ObjectStore, type WatchedObject } from "../engine/object_source.ts";
import { WorkQueue, type WorkResult } from "../engine/work_queue.ts";
import { WritePace } from "../engine/write_pace.ts";
import { FIELD_MANAGER, isConflict } from "../engine/writing.ts";
import type { Replica } from "../envoy_config/client_reports.ts";
import { namespaceOf } from "./client_keys.ts";
import { LayersOfPods } from "./layers_of_pods.ts";
import type { Collision } from "./merge.ts";
import { replicaReport, serviceStatus, type StatusInput, statusOf } from "./status.ts";
import { statusEvents } from "./status_events.ts";
import { type ClientOfService, judge } from "./verdicts.ts";
import { MeshWorld } from "./world.ts";

/** Options of {@linkcode VirtualServiceController}. */
export interface VirtualServiceControllerOptions {
  readonly store: ObjectStore;
  readonly registry: Registry;
  /** Who leads layers to the clients, and knows what they make of them. */
  readonly hub: Pick<Hub, "setLayer" | "removeLayer" | "seatsOf">;
  /** What connected Envoys get when their pod is gone. */
  readonly onDelete: "keep" | "empty";
  /** Name of this replica and of this life of it. */
  readonly replica: Replica;
  /** Boot id by name of each replica that lives; this one alone when absent. */
  readonly replicas?: { live(): ReadonlyMap<string, string> };
  /** Whether this replica writes for all; always when absent. */
  readonly leadership?: { leading(): boolean };
  readonly clock: Clock;
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
/** What Envoys answer within this time is told at once; a change and its answers are one write. In milliseconds. */
const CLIENTS_DELAY_MS = 50, STATUS_DELAY_MS = 250;
/** Between two writes of one status. */
const STATUS_PACE_MS = 1_000;
const CONFLICT_PAUSE_MS = 200;

/**
 * Brings VirtualServices to the Envoys of the pods that they select. Looks at what is there and not at what happened; what an Envoy says,
 * or that there is none, holds up nothing. Of several replicas one writes the statuses, the others add what their Envoys say.
 */
export class VirtualServiceController {
  readonly #options: VirtualServiceControllerOptions;
  readonly #world: MeshWorld;
  readonly #layers: LayersOfPods;
  readonly #labelled = new Map<string, number>(); // streams by node id
  readonly #touched = new Set<string>(); // node ids whose Envoys have said something
  readonly #judged = new Map<string, Map<string, ClientOfService[]>>(); // by node id, by service
  readonly #nodesOf = new Map<string, Set<string>>(); // service → node ids
  readonly #pace = new WritePace({ perNodeMs: STATUS_PACE_MS });
  #queue: WorkQueue | undefined;
  #synced = false;

  constructor(options: VirtualServiceControllerOptions) {
    this.#options = options;
    this.#world = new MeshWorld(options.registry);
    this.#layers = new LayersOfPods(options);
  }

  /** Starts and resolves once every pod has what the store knows. Goes on until `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("A VirtualServiceController starts once");
    const { store, clock, random, onError } = this.#options;
    const queue = this.#queue = new WorkQueue({
      clock,
      random,
      signal,
      backoff: { baseMs: 100, maxMs: 60_000, jitter: 0.5 },
      work: (key) => this.#work(key),
      ...(onError && { onError }),
    });
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
    const pod = { id: node.id, namespace: namespaceOf(node), labels: Object.fromEntries(node.labels) };
    this.#world.takePod(labelledId(node.id), { ...pod, id: labelledId(node.id) });
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
    this.#touched.add(nodeId);
    this.#queue?.addAfter(CLIENTS, CLIENTS_DELAY_MS);
  }

  /** This replica leads from now on, or no longer. */
  leadershipChanged(): void {
    for (const { id } of this.#world.services()) this.#statusSoon(id);
  }

  /** Another replica came or went. */
  replicasChanged(): void {
    this.leadershipChanged();
  }

  /** How many things could not be brought to what they should be; they are tried again. */
  get failing(): number {
    return this.#queue?.failing ?? 0;
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
    if (event.object.kind === "VirtualService") this.#statusSoon(idOf(event.object));
  }

  #lookSoon(): void {
    if (this.#synced) this.#queue?.add(LAYERS);
  }

  #statusSoon(id: string): void {
    this.#queue?.addAfter(statusKey(id), STATUS_DELAY_MS);
  }

  #work(key: string): Promise<WorkResult | void> {
    if (key === LAYERS) return Promise.resolve(this.#look());
    if (key === CLIENTS) return Promise.resolve(this.#judge());
    return this.#tell(key.slice(STATUS.length));
  }

  #look(): void {
    const { pods, services } = this.#world.update();
    for (const [id, merged] of pods) this.#layers.set(id, { pod: this.#world.pod(id), merged });
    for (const id of services) this.#statusSoon(id);
    this.#options.onLook?.();
  }

  #judge(): void {
    for (const nodeId of this.#touched) {
      const before = this.#judged.get(nodeId) ?? new Map<string, ClientOfService[]>();
      const now = judge(nodeId, this.#options.hub.seatsOf(nodeId));
      if (now.size > 0) this.#judged.set(nodeId, now);
      else this.#judged.delete(nodeId);
      for (const id of new Set([...before.keys(), ...now.keys()])) {
        if (canonicalJson(before.get(id) ?? []) === canonicalJson(now.get(id) ?? [])) continue;
        this.#note(id, { nodeId, present: now.has(id) });
        this.#statusSoon(id);
      }
    }
    this.#touched.clear();
  }

  #note(id: string, { nodeId, present }: { nodeId: string; present: boolean }): void {
    const nodes = this.#nodesOf.get(id) ?? new Set();
    if (present) nodes.add(nodeId);
    else nodes.delete(nodeId);
    if (nodes.size > 0) this.#nodesOf.set(id, nodes);
    else this.#nodesOf.delete(id);
  }

  #clientsOf(id: string): ClientOfService[] {
    return [...this.#nodesOf.get(id) ?? []].sort().flatMap((nodeId) => this.#judged.get(nodeId)?.get(id) ?? []);
  }

  /** What is left out of a VirtualService, each once. */
  #collisionsOf(id: string): Collision[] {
    const pods = this.#world.get(id)?.pods ?? [];
    const all = [
      ...[...pods].flatMap((pod) => this.#world.mergedOf(pod).collisions.filter(({ owner }) => owner === id)),
      ...this.#clientsOf(id).flatMap(({ collisions }) => collisions),
    ];
    return [...new Map(all.map((one) => [canonicalJson(one), one])).entries()].sort().map(([, one]) => one);
  }

  async #tell(id: string): Promise<WorkResult | void> {
    const { store, clock, replica, replicas } = this.#options;
    const service = this.#world.get(id);
    if (!service) return await this.#forget(id);
    const input: StatusInput = {
      object: service.object,
      pods: service.pods.size,
      findings: service.findings,
      collisions: this.#collisionsOf(id),
      clients: this.#clientsOf(id),
      replica,
      replicas: new Map([...replicas?.live() ?? [], [replica.name, replica.bootId]]),
      now: clock.now(),
    };
    try {
      if (!this.#leading()) return await this.#report(id, input);
      const status = serviceStatus(input);
      const wait = this.#wait(id, service.object, status);
      if (wait > 0) return { requeueAfterMs: wait };
      const [written] = await applyStatuses([{ object: service.object, status: { ...status } }], store);
      if (!written) return;
      for (const event of statusEvents(keyOf(service.object), { before: statusOf(service.object), after: status })) {
        await store.record(event);
      }
    } catch (thrown) {
      // what was written meanwhile is on its way to us
      if (isConflict(thrown)) return { requeueAfterMs: CONFLICT_PAUSE_MS };
      throw thrown;
    }
  }

  /** Adds what the Envoys of this replica say, for the one that leads. */
  async #report(id: string, input: StatusInput): Promise<WorkResult | void> {
    const { replica } = this.#options;
    const { object } = input;
    const stored = statusOf(object).replicas?.[replica.name];
    const report = replicaReport(input);
    if (stored ? canonicalJson(stored) === canonicalJson(report) : report.served === 0) return;
    const wait = this.#wait(id, object, { replicas: { [replica.name]: report } });
    if (wait > 0) return { requeueAfterMs: wait };
    await this.#apply(object, report);
  }

  async #apply(object: WatchedObject, report: MeshReplicaReport): Promise<void> {
    const { store, replica } = this.#options;
    const { apiVersion, kind, metadata: { name, namespace = "default", uid } } = object;
    const metadata = { name, namespace, ...(uid !== undefined && { uid }) };
    const fieldManager = `${FIELD_MANAGER}-clients-${replica.name}`;
    const status = { replicas: { [replica.name]: report } };
    await store.apply({ apiVersion, kind, metadata, status }, { fieldManager, force: true, subresource: "status" });
  }

  /** How long to wait with a write, if it is one. */
  #wait(id: string, { status: before }: WatchedObject, status: VirtualServiceStatus): number {
    if (sameStatus(before, status)) return 0;
    return this.#pace.take(id, this.#options.clock.monotonic());
  }

  /** What is gone needs no status; what only waits for a finalizer that nobody sees to any more is let go. */
  async #forget(id: string): Promise<void> {
    this.#pace.forget(id);
    const [namespace = "", name = ""] = id.split("/");
    const object = this.#world.leaving(id);
    const finalizers = object?.metadata.finalizers ?? [];
    if (!finalizers.includes(MESH_FINALIZER) || !this.#leading()) return;
    await this.#options.store.removeFinalizer?.({ kind: "VirtualService", namespace, name }, MESH_FINALIZER);
  }

  #leading(): boolean {
    return this.#options.leadership?.leading() ?? true;
  }
}

const STATUS = "status/";

function statusKey(id: string): string {
  return `${STATUS}${id}`;
}

function idOf(object: WatchedObject): string {
  const { namespace, name } = keyOf(object);
  return `${namespace}/${name}`;
}

/** No pod is called like this: names of namespaces hold no spaces. */
function labelledId(nodeId: string): string {
  return `node ${nodeId}`;
}
