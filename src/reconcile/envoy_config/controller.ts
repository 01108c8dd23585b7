import type { Clock, Finding, ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { CheckKeyPair, MissingSource } from "../../snapshot/mod.ts";
import { applyStatuses } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectStore } from "../engine/object_source.ts";
import { WorkQueue } from "../engine/work_queue.ts";
import type { Shelf, SnapshotSink } from "../snapshot_sink.ts";
import { byAge } from "./choose.ts";
import type { NodeInputs, Served } from "./inputs.ts";
import { LastGood } from "./last_good.ts";
import { ObjectsOfNodes, WATCHED_KINDS } from "./objects.ts";
import { compiledSpec, type NodePlan, planNode } from "./plan.ts";
import { unreadableStatus } from "./status.ts";

/** What is known of one node id, for `/status` and the log. */
export interface NodeReport {
  readonly nodeId: string;
  /** Revision that is served; empty when none is. */
  readonly revision: string;
  /** The EnvoyConfig the node id belongs to. */
  readonly source?: ObjectKey;
  /** About the spec and the objects it names, with paths in the EnvoyConfig. */
  readonly findings: readonly Finding[];
  readonly missing: readonly MissingSource[];
  /** Other EnvoyConfigs with the same node id, which are not served. */
  readonly conflicts: readonly ObjectKey[];
}

/** Options of {@linkcode EnvoyConfigController}. */
export interface EnvoyConfigControllerOptions {
  readonly store: ObjectStore;
  readonly registry: Registry;
  readonly sink: SnapshotSink;
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  readonly shelf?: Shelf;
  readonly checkKeyPair?: CheckKeyPair;
  /** Told after each look at a node id; `undefined` when it is gone. */
  readonly onReport?: (nodeId: string, report: NodeReport | undefined) => void;
  /** Told when a look failed and will be repeated. */
  readonly onError?: (group: string, failure: { error: unknown; retryInMs?: number }) => void;
}

/**
 * Brings EnvoyConfigs to the sink. One look per node id, at what is there and not at what happened: gather, plan, apply. What
 * is served goes out before the status is written, so a store that cannot be written to does not hold up traffic.
 */
export class EnvoyConfigController {
  readonly #options: EnvoyConfigControllerOptions;
  readonly #objects = new ObjectsOfNodes();
  readonly #lastGood: LastGood;
  readonly #served = new Map<string, Served>();
  readonly #reports = new Map<string, NodeReport>();
  readonly #unread = new Set<string>(); // node ids whose config cannot be read now
  #queue: WorkQueue | undefined;

  constructor(options: EnvoyConfigControllerOptions) {
    this.#options = options;
    this.#lastGood = new LastGood(options.shelf);
  }

  /** Starts and resolves once every node id that the store knows has been looked at. Goes on until `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("An EnvoyConfigController starts once");
    const { store, clock, random, onError } = this.#options;
    const known = new Set<string>();
    const work = (group: string) => this.#reconcile(group);
    const queue = this.#queue = new WorkQueue({ clock, work, signal, random, ...(onError ? { onError } : {}) });
    let synced = false;
    await store.watch(WATCHED_KINDS, (event) => {
      for (const group of this.#objects.take(event)) {
        if (synced) queue.add(group);
        else known.add(group); // looking before all is there would tell of missing objects that are on their way
      }
    }, { signal });
    synced = true;
    for (const group of known) queue.add(group);
    await queue.idle();
    // A config that could not be read may still need what it had; then nothing is thrown away.
    if (!signal.aborted && this.#unread.size === 0) await this.#lastGood.sweep();
  }

  /** What is known of each node id, sorted. */
  reports(): NodeReport[] {
    return [...this.#reports.values()].sort((a, b) => a.nodeId < b.nodeId ? -1 : 1);
  }

  /** Secrets and slices whose structure is broken. */
  unusable(): ReadonlyMap<string, readonly Finding[]> {
    return this.#objects.unusable();
  }

  /** Resolves when nothing is left to look at for now. */
  idle(): Promise<void> {
    return this.#queue?.idle() ?? Promise.resolve();
  }

  async #reconcile(group: string): Promise<void> {
    const { store, clock } = this.#options;
    const nodeId = nodeIdOfGroup(group);
    if (nodeId === undefined) {
      const statuses = this.#objects.configsOf(group).map((config) => unreadableStatus(config, clock.now()));
      await applyStatuses(statuses, store);
      return;
    }
    const inputs = await this.#gather(nodeId, group);
    const { registry, checkKeyPair } = this.#options;
    const plan = planNode(inputs, { registry, ...(checkKeyPair ? { checkKeyPair } : {}) });
    this.#serve(plan);
    this.#report(plan, inputs);
    if (plan.lastGood) this.#unread.delete(nodeId);
    else this.#unread.add(nodeId);
    const kept = plan.lastGood ? this.#lastGood.replace(nodeId, plan.lastGood) : undefined;
    for (const done of await Promise.allSettled([kept, applyStatuses(plan.statuses, store)])) {
      if (done.status === "rejected") throw done.reason; // both are repeated then, and write only what is left
    }
  }

  async #gather(nodeId: string, group: string): Promise<NodeInputs> {
    const configs = this.#objects.configsOf(group); // before the wait: what comes later queues the group again
    const [winner] = byAge(configs);
    const namespace = winner ? keyOf(winner.object).namespace : "";
    const spec = winner && compiledSpec(winner);
    const lastGood = await this.#lastGood.load(spec?.sourceKeys ?? []);
    const served = this.#served.get(nodeId);
    return {
      nodeId,
      configs,
      sources: this.#objects.sourcesIn(namespace),
      lastGood,
      now: this.#options.clock.now(),
      ...(served ? { served } : {}),
    };
  }

  #serve({ nodeId, output, served }: NodePlan): void {
    if (served) this.#served.set(nodeId, served);
    else this.#served.delete(nodeId);
    if (output.kind === "set") this.#options.sink.set(nodeId, output.snapshot);
    if (output.kind === "gone") this.#options.sink.gone(nodeId);
  }

  #report(plan: NodePlan, { configs }: NodeInputs): void {
    const { nodeId, output, source, served } = plan;
    if (output.kind === "gone") {
      this.#reports.delete(nodeId);
      this.#options.onReport?.(nodeId, undefined);
      return;
    }
    const [winner, ...others] = byAge(configs);
    const report: NodeReport = {
      nodeId,
      revision: served?.snapshot.revision ?? "",
      ...(source ? { source: source.key } : {}),
      findings: [
        ...winner?.read.findings ?? [],
        ...source?.built?.findings ?? [],
        ...source?.built?.sourceFindings ?? [],
      ],
      missing: source?.built?.missing ?? [],
      conflicts: others.map(({ object }) => keyOf(object)),
    };
    this.#reports.set(nodeId, report);
    this.#options.onReport?.(nodeId, report);
  }
}

function nodeIdOfGroup(group: string): string | undefined {
  return group.startsWith("node/") ? group.slice("node/".length) : undefined;
}
