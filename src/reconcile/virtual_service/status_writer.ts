import { sameStatus } from "../../api/mod.ts";
import { MESH_FINALIZER, type MeshReplicaReport, type VirtualServiceStatus } from "../../api/virtual_service/mod.ts";
import { canonicalJson, type Clock, type ObjectKey } from "../../base/mod.ts";
import { applyStatuses } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectStore, type WatchedObject } from "../engine/object_source.ts";
import type { WorkResult } from "../engine/work_queue.ts";
import { WritePace } from "../engine/write_pace.ts";
import { FIELD_MANAGER, isConflict } from "../engine/writing.ts";
import type { Replica } from "../envoy_config/client_reports.ts";
import { replicaReport, serviceStatus, type StatusInput, statusOf } from "./status.ts";
import { statusEvents } from "./status_events.ts";

/** Options of {@linkcode StatusWriter}. */
export interface StatusWriterOptions {
  readonly store: ObjectStore;
  /** Name of this replica and of this life of it. */
  readonly replica: Replica;
  /** Boot id by name of each replica that lives; this one alone when absent. */
  readonly replicas?: { live(): ReadonlyMap<string, string> };
  /** Whether this replica writes for all; always when absent. */
  readonly leadership?: { leading(): boolean };
  readonly clock: Clock;
}

/** Between two writes of one status, in milliseconds. */
const PACE_MS = 1_000;
const CONFLICT_PAUSE_MS = 200;

/** Tells in VirtualServices what came of them: on change only, and never more than so often. */
export class StatusWriter {
  readonly #options: StatusWriterOptions;
  readonly #pace = new WritePace({ perNodeMs: PACE_MS });

  constructor(options: StatusWriterOptions) {
    this.#options = options;
  }

  /** Writes what differs from what is stored: all of it where this replica leads, otherwise what its Envoys say. */
  async tell(found: Omit<StatusInput, "replica" | "replicas" | "now">): Promise<WorkResult | void> {
    const { replica, replicas, clock } = this.#options;
    const live = new Map([...replicas?.live() ?? [], [replica.name, replica.bootId]]);
    const input = { ...found, replica, replicas: live, now: clock.now() };
    try {
      return this.#leading() ? await this.#write(input) : await this.#report(input);
    } catch (thrown) {
      // what was written meanwhile is on its way to us
      if (isConflict(thrown)) return { requeueAfterMs: CONFLICT_PAUSE_MS };
      throw thrown;
    }
  }

  /** What is gone needs no status; what only waits for a finalizer that nobody sees to any more is let go. */
  async forget(key: ObjectKey, leaving: WatchedObject | undefined): Promise<void> {
    this.#pace.forget(idOf(key));
    const finalizers = leaving?.metadata.finalizers ?? [];
    if (!finalizers.includes(MESH_FINALIZER) || !this.#leading()) return;
    await this.#options.store.removeFinalizer?.(key, MESH_FINALIZER);
  }

  async #write(input: StatusInput): Promise<WorkResult | void> {
    const { store } = this.#options;
    const { object } = input;
    const status = serviceStatus(input);
    if (sameStatus(object.status, status)) return;
    const wait = this.#wait(object);
    if (wait > 0) return { requeueAfterMs: wait };
    const written = await applyStatuses([{ object, status: { ...status } }], store);
    if (written.length === 0) return;
    for (const event of statusEvents(keyOf(object), { before: statusOf(object), after: status })) {
      await store.record(event);
    }
  }

  async #report(input: StatusInput): Promise<WorkResult | void> {
    const { object } = input;
    const stored = statusOf(object).replicas?.[this.#options.replica.name];
    const report = replicaReport(input);
    if (stored ? canonicalJson(stored) === canonicalJson(report) : report.served === 0) return;
    const wait = this.#wait(object);
    if (wait > 0) return { requeueAfterMs: wait };
    await this.#apply(object, report);
  }

  async #apply(object: WatchedObject, report: MeshReplicaReport): Promise<void> {
    const { store, replica } = this.#options;
    const { apiVersion, kind, metadata: { name, namespace = "default", uid } } = object;
    const metadata = { name, namespace, ...(uid !== undefined && { uid }) };
    const fieldManager = `${FIELD_MANAGER}-clients-${replica.name}`;
    const status: VirtualServiceStatus = { replicas: { [replica.name]: report } };
    await store.apply({ apiVersion, kind, metadata, status }, { fieldManager, force: true, subresource: "status" });
  }

  /** How long to wait with a write. */
  #wait(object: WatchedObject): number {
    return this.#pace.take(idOf(keyOf(object)), this.#options.clock.monotonic());
  }

  #leading(): boolean {
    return this.#options.leadership?.leading() ?? true;
  }
}

function idOf({ namespace, name }: ObjectKey): string {
  return `${namespace}/${name}`;
}
