import { LEGACY_FINALIZER } from "../../api/mod.ts";
import { ChanceryError, formatKey } from "../../base/mod.ts";
import { applyStatuses, type WantedStatus } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectStore, type WatchedObject } from "../engine/object_source.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { NodePlan } from "./plan.ts";
import type { RevisionObject } from "./revision_object.ts";

/** The name under which revisions are written. */
const FIELD_MANAGER = "chancery";

/** What {@linkcode carryOut} writes with. */
export interface CarryOutOptions {
  readonly store: ObjectStore;
  readonly ownWrites: OwnWrites;
  /** Hands the plan's output to the sink. */
  readonly serve: () => void;
  /** Name of this replica. */
  readonly replica: string;
  /** Whether a report may be written now. */
  readonly mayReport: () => boolean;
}

/** Makes the revision that a plan asks for. */
export async function createRevision(
  object: RevisionObject,
  { store, ownWrites }: Pick<CarryOutOptions, "store" | "ownWrites">,
): Promise<WatchedObject> {
  const { kind, metadata: { namespace, name } } = object;
  ownWrites.presence(formatKey({ kind, namespace, name }), "added");
  return await store.apply(object, { fieldManager: FIELD_MANAGER, force: true });
}

/**
 * Writes what a plan says, in an order that leaves a sound state after each write: whoever looks next, after a crash too,
 * comes to the same decision or to a newer one. A decision is written before it is served; but when it cannot be written,
 * because a disk is full, it is served all the same, and the first error is thrown at the end. A conflict means that the plan
 * was made from old knowledge: then nothing more is done.
 */
export async function carryOut(plan: NodePlan, options: CarryOutOptions): Promise<void> {
  const { store, ownWrites, serve } = options;
  if (!plan.decided) serve();
  let failure: unknown;
  try {
    for (const status of plan.first) await write(status, options);
  } catch (error) {
    if (error instanceof ChanceryError && error.code === "conflict") throw error;
    failure = error;
  }
  if (plan.decided) serve();
  if (failure !== undefined) throw failure;
  for (const event of plan.events) await store.record(event);
  for (const status of plan.then) await write(status, options);
  for (const object of plan.removals) await remove(object, { store, ownWrites });
  for (const object of plan.finalized) await store.removeFinalizer?.(keyOf(object), LEGACY_FINALIZER);
  if (plan.report && options.mayReport()) await report(plan.report, options);
}

async function write(wanted: WantedStatus, { store, ownWrites }: CarryOutOptions): Promise<void> {
  if (wanted.object.kind === "EnvoyConfigRevision") ownWrites.status(wanted.object, wanted.status);
  await applyStatuses([wanted], store);
}

async function remove(
  object: WatchedObject,
  { store, ownWrites }: Pick<CarryOutOptions, "store" | "ownWrites">,
): Promise<void> {
  const { uid } = object.metadata;
  ownWrites.presence(formatKey(keyOf(object)), "deleted");
  try {
    await store.remove(keyOf(object), uid === undefined ? {} : { uid });
  } catch (error) {
    if (!(error instanceof ChanceryError && error.code === "conflict")) throw error; // another one by now
  }
}

/** Each replica owns its own entry, so that replicas never overwrite one another. */
async function report(
  { object, report }: NonNullable<NodePlan["report"]>,
  { store, replica }: CarryOutOptions,
): Promise<void> {
  const { apiVersion, kind, metadata: { name, uid } } = object;
  const { namespace } = keyOf(object);
  try {
    await store.apply({
      apiVersion,
      kind,
      metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
      status: { clients: { [replica]: report } },
    }, { fieldManager: `${FIELD_MANAGER}-clients-${replica}`, force: true, subresource: "status" });
  } catch (error) {
    const gone = error instanceof ChanceryError && (error.code === "not-found" || error.code === "conflict");
    if (!gone) throw error;
  }
}
