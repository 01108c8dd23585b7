import type { Clock, Finding, ObjectKey } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { CheckKeyPair, CompiledSpec, MissingSource, Sources } from "../../snapshot/mod.ts";
import { applyStatuses } from "../engine/apply_statuses.ts";
import { inParallel } from "../engine/in_parallel.ts";
import { keyOf, type ObjectStore } from "../engine/object_source.ts";
import { QuietConflicts } from "../engine/quiet_conflicts.ts";
import { WorkQueue, type WorkResult } from "../engine/work_queue.ts";
import type { Shelf, SnapshotSink } from "../snapshot_sink.ts";
import { carryOut, type CarryOutOptions, createRevision } from "./carry_out.ts";
import { byAge } from "../engine/by_age.ts";
import type { ClientReportSource, Replica } from "./client_reports.ts";
import { compiledConfig } from "./compiled_config.ts";
import type { NodeInputs, Seen, Served } from "./inputs.ts";
import { LastGood } from "./last_good.ts";
import { Needs } from "./needs.ts";
import type { NodePlan } from "./node_plan.ts";
import { type ConfigState, ObjectsOfNodes, WATCHED_KINDS } from "./objects.ts";
import { OwnWrites } from "./own_writes.ts";
import { planNode } from "./plan.ts";
import { compiledRevision } from "./revision.ts";
import { unreadableStatus } from "./status.ts";
import { WritePace } from "../engine/write_pace.ts";

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
  /** Boot id by name of each replica that lives; this one alone when absent. {@linkcode EnvoyConfigController.replicasChanged} tells of changes. */
  readonly replicas?: { live(): ReadonlyMap<string, string> };
  /**
   * Whether this replica decides and writes; always when absent. One that does not serves what the status of the EnvoyConfigs
   * says. {@linkcode EnvoyConfigController.leadershipChanged} tells of changes.
   */
  readonly leadership?: { leading(): boolean };
  /** How many node ids are worked on at once; 1 when absent. */
  readonly concurrency?: number;
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
/** At the start the content of Secrets is asked for on behalf of so many node ids at once. */
const NEEDS_AT_ONCE = 16;
/**
 * Between tries where others write to the same store: it is far away, and one that is overloaded or gone is not helped by a thousand
 * node ids that ask again at once. Conflicts have shorter pauses of their own.
 */
const SHARED_BACKOFF = { baseMs: 100, maxMs: 60_000, jitter: 0.5 };

/**
 * Brings EnvoyConfigs to the sink, by way of revisions. One look per node id, at what is there and not at what happened:
 * gather, plan, carry out. Of several replicas one decides and writes; the others serve what is written. A store that cannot be
 * written to does not hold up traffic.
 */
export class EnvoyConfigController {
  readonly #options: EnvoyConfigControllerOptions;
  readonly #replica: Replica;
  readonly #ownWrites: OwnWrites;
  readonly #objects: ObjectsOfNodes;
  readonly #lastGood: LastGood;
  readonly #served = new Map<string, Served>();
  readonly #seen = new Map<string, Seen>();
  readonly #reports = new Map<string, NodeReport>();
  readonly #unread = new Set<string>(); // node ids whose config cannot be read now
  readonly #changed = new Set<string>(); // groups of which specs, Secrets or slices have changed
  readonly #lookedAt = new Map<string, number>();
  readonly #conflicts: QuietConflicts; // by group
  readonly #paces = { report: new WritePace(), counts: new WritePace({ perNodeMs: 2000 }), dead: new WritePace() };
  readonly #needs: Needs;
  #queue: WorkQueue | undefined;

  constructor(options: EnvoyConfigControllerOptions) {
    this.#options = options;
    this.#replica = options.replica;
    this.#ownWrites = new OwnWrites(options.replica.name);
    this.#objects = new ObjectsOfNodes(this.#ownWrites);
    this.#lastGood = new LastGood(options.shelf);
    this.#needs = new Needs(options.store);
    this.#conflicts = new QuietConflicts(options.random);
  }

  /** Starts and resolves once every node id that the store knows has been looked at. Goes on until `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("An EnvoyConfigController starts once");
    const { store, clock, random, concurrency = 1, onError, leadership } = this.#options;
    const known = new Set<string>();
    const work = (group: string) => this.#reconcile(group);
    const queue = this.#queue = new WorkQueue({
      clock,
      work,
      signal,
      random,
      concurrency,
      ...(leadership ? { backoff: SHARED_BACKOFF } : {}),
      ...(onError ? { onError } : {}),
    });
    let synced = false;
    await store.watch(WATCHED_KINDS, (event) => {
      const { groups, content } = this.#objects.take(event);
      for (const group of groups) {
        if (content) this.#changed.add(group);
        if (synced) queue.add(group);
        else known.add(group); // looking before all is there would tell of missing objects that are on their way
      }
    }, { signal });
    // Each look asks for what it needs, too, and tells of failures; here it is only asked for all at once.
    await inParallel(known, { limit: NEEDS_AT_ONCE, work: (group) => this.#ensure(group) });
    synced = true;
    for (const group of known) queue.add(group);
    await queue.idle();
    // A config that could not be read may still need what it had; then nothing is thrown away.
    if (!signal.aborted && this.#unread.size === 0) await this.#lastGood.sweep();
  }

  /** This replica leads from now on, or no longer: all is to be looked at again. */
  leadershipChanged(): void {
    this.#lookAtAll();
  }

  /** Another replica came or went. What followers do does not depend on it. */
  replicasChanged(): void {
    if (this.#leading()) this.#lookAtAll();
  }

  /** How many node ids could not be brought to what they should be; they are tried again. */
  get failing(): number {
    return this.#queue?.failing ?? 0;
  }

  /** How many node ids are waiting to be looked at, now or at a set time, or are being looked at. */
  get waiting(): number {
    return this.#queue?.size ?? 0;
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

  /** How many EnvoyConfigs are in each state, as their statuses say. */
  states(): ReadonlyMap<ConfigState, number> {
    return this.#objects.states();
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

  #leading(): boolean {
    return this.#options.leadership?.leading() ?? true;
  }

  #lookAtAll(): void {
    for (const group of this.#objects.groups()) this.#queue?.add(group);
  }

  async #reconcile(group: string): Promise<WorkResult | void> {
    const unchanged = !this.#changed.delete(group);
    try {
      const result = await this.#look(group, unchanged);
      this.#conflicts.over(group);
      return result;
    } catch (error) {
      if (!unchanged) this.#changed.add(group); // what was built may not have been taken
      const again = this.#conflicts.again(group, error);
      if (!again) throw error;
      return again;
    }
  }

  async #look(group: string, unchanged: boolean): Promise<WorkResult | void> {
    const { store, clock, leadership } = this.#options;
    const nodeId = nodeIdOfGroup(group);
    if (nodeId === undefined) return await this.#tellUnreadable(group);
    this.#lookedAt.set(nodeId, clock.monotonic());
    const at = { group, unchanged, leading: this.#leading() };
    let plan = await this.#plan(nodeId, at);
    const means: Omit<CarryOutOptions, "serve" | "mayWrite"> = {
      store,
      ownWrites: this.#ownWrites,
      replica: this.#replica.name,
      leading: () => this.#leading(),
      shared: leadership !== undefined,
      wrote: (object, before) => this.#objects.wrote(object, before),
    };
    let failure: unknown;
    if (plan.create) {
      try {
        await createRevision(plan, means);
        plan = await this.#plan(nodeId, at);
      } catch (error) {
        if (means.shared) throw error; // the others could not serve it
        failure = error; // serving does not wait for it
      }
    }
    let waitMs = plan.lookAt === undefined ? undefined : Math.max(0, plan.lookAt - clock.now());
    const written = carryOut(plan, {
      ...means,
      serve: () => this.#serve(plan, group),
      mayWrite: (what) => {
        const wait = this.#paces[what].take(nodeId, clock.monotonic());
        if (wait > 0) waitMs = Math.min(waitMs ?? Infinity, wait);
        return wait === 0;
      },
    });
    const kept = plan.lastGood ? this.#lastGood.replace(nodeId, plan.lastGood) : undefined;
    const [keptThen, writtenThen] = await Promise.allSettled([kept, written]);
    for (const done of [keptThen, writtenThen]) {
      if (done.status === "rejected") failure ??= done.reason; // both are repeated then, and write only what is left
    }
    if (failure !== undefined) throw failure;
    const again = writtenThen.status === "fulfilled" && writtenThen.value.again;
    if (again) waitMs = Math.min(waitMs ?? Infinity, PROGRESS_PACE_MS);
    return waitMs === undefined ? undefined : { requeueAfterMs: waitMs };
  }

  async #tellUnreadable(group: string): Promise<void> {
    if (!this.#leading()) return;
    const { store, clock } = this.#options;
    const statuses = this.#objects.configsOf(group).map((config) => unreadableStatus(config, clock.now()));
    for (const { object, status } of statuses) this.#ownWrites.status(object, status);
    await applyStatuses(statuses, store);
  }

  async #plan(nodeId: string, at: { group: string; unchanged: boolean; leading: boolean }): Promise<NodePlan> {
    const { registry, checkKeyPair } = this.#options;
    const plan = planNode(await this.#gather(nodeId, at), { registry, ...(checkKeyPair ? { checkKeyPair } : {}) });
    if (plan.seen) this.#seen.set(nodeId, plan.seen);
    else this.#seen.delete(nodeId);
    return plan;
  }

  /** Sees to it that the content of the group's Secrets is known. */
  async #ensure(group: string): Promise<void> {
    if (!this.#options.store.need || nodeIdOfGroup(group) === undefined) return;
    await this.#needs.ensure(group, this.#specsOf(group));
  }

  /** What may be served to a group: what is wanted, and everything to go back to. */
  #specsOf(group: string): CompiledSpec[] {
    const [winner] = byAge(this.#objects.configsOf(group));
    if (!winner) return [];
    return [compiledConfig(winner), ...this.#objects.revisionsOf(group).map(compiledRevision)]
      .filter((spec) => spec !== undefined);
  }

  async #gather(
    nodeId: string,
    { group, unchanged, leading }: { group: string; unchanged: boolean; leading: boolean },
  ): Promise<NodeInputs> {
    const { clients, clock, replicas } = this.#options;
    await this.#ensure(group);
    const configs = this.#objects.configsOf(group); // before the wait: what comes later queues the group again
    const revisions = this.#objects.revisionsOf(group);
    const reports = clients.reports(nodeId);
    const [winner] = byAge(configs);
    const keys = new Set(this.#specsOf(group).flatMap(({ sourceKeys }) => sourceKeys));
    const lastGood = await this.#lastGood.load([...keys]);
    const served = this.#served.get(nodeId);
    const seen = this.#seen.get(nodeId);
    const [now, monotonic] = [clock.now(), clock.monotonic()];
    const writtenAt = this.#paces.report.writtenAt(nodeId);
    return {
      nodeId,
      configs,
      revisions,
      sources: this.#objects.sourcesIn(winner ? keyOf(winner.object).namespace : ""),
      lastGood,
      reports,
      replica: this.#replica,
      replicas: new Map([...replicas?.live() ?? [], [this.#replica.name, this.#replica.bootId]]),
      leading,
      ...(served ? { served } : {}),
      ...(seen ? { seen } : {}),
      ...(writtenAt === undefined ? {} : { reportWrittenAt: now + writtenAt - monotonic }),
      unchanged,
      now,
      monotonic,
    };
  }

  #serve(plan: NodePlan, group: string): void {
    const { nodeId, output, served } = plan;
    if (served) this.#served.set(nodeId, served);
    else this.#served.delete(nodeId);
    const { retryRefused } = output.kind === "set" ? output : { retryRefused: false };
    if (output.kind === "set") this.#options.sink.set(nodeId, output.snapshot, { retryRefused });
    if (output.kind === "gone") {
      this.#options.sink.gone(nodeId);
      this.#lookedAt.delete(nodeId);
      for (const pace of Object.values(this.#paces)) pace.forget(nodeId);
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
