import type { Clock, Finding, ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { CheckKeyPair, MissingSource, Sources } from "../../snapshot/mod.ts";
import { applyStatuses } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectStore } from "../engine/object_source.ts";
import { WorkQueue, type WorkResult } from "../engine/work_queue.ts";
import type { Shelf, SnapshotSink } from "../snapshot_sink.ts";
import { carryOut, createRevision } from "./carry_out.ts";
import { byAge } from "./choose.ts";
import type { ClientReportSource, Replica } from "./client_reports.ts";
import type { Acceptance, NodeInputs, Served } from "./inputs.ts";
import { LastGood } from "./last_good.ts";
import { ObjectsOfNodes, WATCHED_KINDS } from "./objects.ts";
import { OwnWrites } from "./own_writes.ts";
import { compiledSpec, type NodePlan, planNode } from "./plan.ts";
import { ReportPace } from "./report_pace.ts";
import { compiledRevision } from "./revision.ts";
import { unreadableStatus } from "./status.ts";

/** What is known of one node id, for `/status` and the log. */
export interface NodeReport {
  readonly nodeId: string;
  /** Publication that is served: a version, and how often something was refused before; empty when none is. */
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
  /** What Envoys make of what the sink got. */
  readonly clients: ClientReportSource;
  /** Name of this replica and of this life of it. */
  readonly replica: Replica;
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

/** Between two looks that only Envoys' answers give reason for: a thousand answers are a few looks. In milliseconds. */
const PROGRESS_PACE_MS = 50;

/**
 * Brings EnvoyConfigs to the sink, by way of revisions. One look per node id, at what is there and not at what happened:
 * gather, plan, carry out. A store that cannot be written to does not hold up traffic.
 */
export class EnvoyConfigController {
  readonly #options: EnvoyConfigControllerOptions;
  readonly #replica: Replica;
  readonly #ownWrites: OwnWrites;
  readonly #objects: ObjectsOfNodes;
  readonly #lastGood: LastGood;
  readonly #served = new Map<string, Served>();
  readonly #acceptances = new Map<string, Acceptance>();
  readonly #reports = new Map<string, NodeReport>();
  readonly #unread = new Set<string>(); // node ids whose config cannot be read now
  readonly #changed = new Set<string>(); // groups of which specs, Secrets or slices have changed
  readonly #lookedAt = new Map<string, number>();
  readonly #pace = new ReportPace();
  #queue: WorkQueue | undefined;

  constructor(options: EnvoyConfigControllerOptions) {
    this.#options = options;
    this.#replica = options.replica;
    this.#ownWrites = new OwnWrites(options.replica.name);
    this.#objects = new ObjectsOfNodes(this.#ownWrites);
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
      const { groups, content } = this.#objects.take(event);
      for (const group of groups) {
        if (content) this.#changed.add(group);
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

  /** What Envoys make of what a node id is served may have changed. */
  progressed(nodeId: string): void {
    if (!this.#queue || !this.#reports.has(nodeId)) return;
    const waited = this.#options.clock.monotonic() - (this.#lookedAt.get(nodeId) ?? -Infinity);
    if (waited >= PROGRESS_PACE_MS) this.#queue.add(`node/${nodeId}`);
    else this.#queue.addAfter(`node/${nodeId}`, PROGRESS_PACE_MS - waited);
  }

  /** What is known of each node id, sorted. */
  reports(): NodeReport[] {
    return [...this.#reports.values()].sort((a, b) => a.nodeId < b.nodeId ? -1 : 1);
  }

  /** Secrets and slices whose structure is broken. */
  unusable(): ReadonlyMap<string, readonly Finding[]> {
    return this.#objects.unusable();
  }

  /** The usable Secrets and slices of a namespace as they are now. */
  sources(namespace: string): Sources {
    return this.#objects.sourcesIn(namespace);
  }

  /** Resolves when nothing is left to look at for now. */
  idle(): Promise<void> {
    return this.#queue?.idle() ?? Promise.resolve();
  }

  async #reconcile(group: string): Promise<WorkResult | void> {
    const { store, clock } = this.#options;
    const nodeId = nodeIdOfGroup(group);
    if (nodeId === undefined) {
      const statuses = this.#objects.configsOf(group).map((config) => unreadableStatus(config, clock.now()));
      await applyStatuses(statuses, store);
      return;
    }
    this.#lookedAt.set(nodeId, clock.monotonic());
    const unchanged = !this.#changed.delete(group);
    let plan = await this.#plan(nodeId, { group, unchanged });
    let failure: unknown;
    if (plan.create) {
      try {
        const object = await createRevision(plan.create, { store, ownWrites: this.#ownWrites });
        this.#objects.take({ type: "added", object });
        plan = await this.#plan(nodeId, { group, unchanged });
      } catch (error) {
        failure = error; // serving does not wait for it
      }
    }
    let waitMs = plan.lookAt === undefined ? undefined : Math.max(0, plan.lookAt - clock.now());
    const written = carryOut(plan, {
      store,
      ownWrites: this.#ownWrites,
      replica: this.#replica.name,
      serve: () => this.#serve(plan, group),
      mayReport: () => {
        const wait = this.#pace.take(nodeId, clock.now());
        if (wait > 0) waitMs = Math.min(waitMs ?? Infinity, wait);
        return wait === 0;
      },
    });
    const kept = plan.lastGood ? this.#lastGood.replace(nodeId, plan.lastGood) : undefined;
    for (const done of await Promise.allSettled([kept, written])) {
      if (done.status === "rejected") failure ??= done.reason; // both are repeated then, and write only what is left
    }
    if (failure !== undefined) {
      if (!unchanged) this.#changed.add(group); // what was built may not have been taken
      throw failure;
    }
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  }

  async #plan(nodeId: string, at: { group: string; unchanged: boolean }): Promise<NodePlan> {
    const { registry, checkKeyPair } = this.#options;
    return planNode(await this.#gather(nodeId, at), { registry, ...(checkKeyPair ? { checkKeyPair } : {}) });
  }

  async #gather(nodeId: string, { group, unchanged }: { group: string; unchanged: boolean }): Promise<NodeInputs> {
    const { clients, clock } = this.#options;
    const configs = this.#objects.configsOf(group); // before the wait: what comes later queues the group again
    const revisions = this.#objects.revisionsOf(group);
    const reports = clients.reports(nodeId);
    const keys = new Set<string>();
    const [winner] = byAge(configs);
    const specs = [winner && compiledSpec(winner), ...revisions.map(compiledRevision)];
    for (const spec of specs) for (const key of spec?.sourceKeys ?? []) keys.add(key);
    const lastGood = await this.#lastGood.load([...keys]);
    const served = this.#served.get(nodeId);
    const acceptance = this.#acceptances.get(nodeId);
    const reportWrittenAt = this.#pace.writtenAt(nodeId);
    return {
      nodeId,
      configs,
      revisions,
      sources: this.#objects.sourcesIn(winner ? keyOf(winner.object).namespace : ""),
      lastGood,
      reports,
      replica: this.#replica,
      replicas: new Map([[this.#replica.name, this.#replica.bootId]]),
      ...(served ? { served } : {}),
      ...(acceptance ? { acceptance } : {}),
      ...(reportWrittenAt === undefined ? {} : { reportWrittenAt }),
      unchanged,
      now: clock.now(),
    };
  }

  #serve(plan: NodePlan, group: string): void {
    const { nodeId, output, served, acceptance } = plan;
    if (served) this.#served.set(nodeId, served);
    else this.#served.delete(nodeId);
    if (acceptance) this.#acceptances.set(nodeId, acceptance);
    else this.#acceptances.delete(nodeId);
    const { retryRefused } = output.kind === "set" ? output : { retryRefused: false };
    if (output.kind === "set") this.#options.sink.set(nodeId, output.snapshot, { retryRefused });
    if (output.kind === "gone") {
      this.#options.sink.gone(nodeId);
      this.#lookedAt.delete(nodeId);
      this.#pace.forget(nodeId);
    }
    if (plan.lastGood) this.#unread.delete(nodeId);
    else this.#unread.add(nodeId);
    this.#report(plan, group);
  }

  #report(plan: NodePlan, group: string): void {
    const { nodeId, output, source, served } = plan;
    if (output.kind === "gone") {
      this.#reports.delete(nodeId);
      this.#options.onReport?.(nodeId, undefined);
      return;
    }
    const [winner, ...others] = byAge(this.#objects.configsOf(group));
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
