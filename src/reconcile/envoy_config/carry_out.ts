import { LEGACY_FINALIZER } from "../../api/mod.ts";
import { ChanceryError, formatKey } from "../../base/mod.ts";
import { applyStatuses, type WantedStatus } from "../engine/apply_statuses.ts";
import { keyOf, type ObjectStore, type WatchedObject } from "../engine/object_source.ts";
import { checkLeading, FIELD_MANAGER, isConflict } from "../engine/writing.ts";
import type { NodePlan } from "./node_plan.ts";
import type { OwnWrites } from "./own_writes.ts";
import type { WantedReport } from "./plan_reports.ts";

/** What {@linkcode carryOut} writes with. */
export interface CarryOutOptions {
  readonly store: ObjectStore;
  readonly ownWrites: OwnWrites;
  /** Hands the plan's output to the sink. */
  readonly serve: () => void;
  /** Name of this replica. */
  readonly replica: string;
  /** Whether this replica leads at this moment; asked before each write but its own report. */
  readonly leading: () => boolean;
  /** Whether others go by what is written: then a decision that cannot be written is not served. */
  readonly shared: boolean;
  /** Told what a write gave, and what it went by. */
  readonly wrote: (object: WatchedObject, before: WatchedObject | undefined) => void;
  /** Whether a report, or something else that may wait, may be written now. */
  readonly mayWrite: (what: "report" | "counts" | "dead") => boolean;
}

/** What {@linkcode carryOut} has left to do. */
export interface CarriedOut {
  /** Something can only be done once what was written now is known: look again soon. */
  readonly again: boolean;
}

/** Makes the revision that a plan asks for. */
export async function createRevision(
  { create, replaces }: Pick<NodePlan, "create" | "replaces">,
  { store, ownWrites, leading, wrote }: Pick<CarryOutOptions, "store" | "ownWrites" | "leading" | "wrote">,
): Promise<void> {
  if (!create) return;
  const { kind, metadata: { namespace, name } } = create;
  checkLeading(leading);
  const id = formatKey({ kind, namespace, name });
  ownWrites.presence(id, "added");
  const written = store.apply(create, { fieldManager: FIELD_MANAGER, force: true });
  wrote(await orForget(written, { ownWrites, id }), replaces);
}

/** What was not written, as far as is known, is expected no more. */
async function orForget<T>(
  written: Promise<T>,
  { ownWrites, id }: { ownWrites: OwnWrites; id: string },
): Promise<T> {
  try {
    return await written;
  } catch (error) {
    ownWrites.failed(id);
    throw error;
  }
}

/**
 * Writes what a plan says, in an order that leaves a sound state after each write: whoever looks next, after a crash too,
 * comes to the same decision or to a newer one. Each write holds only for the objects that the plan saw, so that what was
 * decided by a leader of yesterday has no effect (I11). A decision is written before it is served; but when nobody else goes
 * by what is written and it cannot be, because a disk is full, it is served all the same, and the first error is thrown at the
 * end. A conflict means that the plan was made from old knowledge: then nothing more is done.
 */
export async function carryOut(plan: NodePlan, options: CarryOutOptions): Promise<CarriedOut> {
  const { serve, shared } = options;
  const touched = new Set<WatchedObject | undefined>();
  const noting: CarryOutOptions = {
    ...options,
    wrote: (object, before) => {
      touched.add(before);
      options.wrote(object, before);
    },
  };
  if (!plan.decided) serve();
  let failure: unknown;
  try {
    for (const status of plan.first) await write(status, noting);
  } catch (error) {
    if (shared || isConflict(error)) throw error;
    failure = error;
  }
  if (plan.decided) serve();
  if (failure !== undefined) throw failure;
  for (const event of plan.events) await options.store.record(event);
  for (const status of plan.then) await write(status, noting);
  for (const object of plan.removals) await remove(object, options);
  await unfinalize(plan, options);
  if (plan.report && options.mayWrite("report")) {
    touched.add(plan.report.object);
    await report(plan.report, options);
  }
  if (plan.counts && options.mayWrite("counts")) await write(plan.counts, noting);
  return { again: await forgetDead(plan.dead, { touched, options: noting }) };
}

async function write(
  wanted: WantedStatus,
  { store, ownWrites, leading, wrote }: Pick<CarryOutOptions, "store" | "ownWrites" | "leading" | "wrote">,
): Promise<void> {
  checkLeading(leading);
  ownWrites.status(wanted.object, wanted.status);
  const id = formatKey(keyOf(wanted.object));
  for (const object of await orForget(applyStatuses([wanted], store), { ownWrites, id })) wrote(object, wanted.object);
}

async function remove(object: WatchedObject, { store, ownWrites, leading }: CarryOutOptions): Promise<void> {
  const { uid, resourceVersion } = object.metadata;
  checkLeading(leading);
  const id = formatKey(keyOf(object));
  ownWrites.presence(id, "deleted");
  const removed = store.remove(keyOf(object), {
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  });
  await orForget(removed, { ownWrites, id });
}

async function unfinalize({ finalized }: NodePlan, { store, leading }: CarryOutOptions): Promise<void> {
  for (const object of finalized) {
    checkLeading(leading);
    try {
      await store.removeFinalizer?.(keyOf(object), LEGACY_FINALIZER);
    } catch (error) {
      if (!isGone(error)) throw error;
    }
  }
}

/** Each replica owns its own entry, so that replicas never overwrite one another. */
async function report({ object, report }: WantedReport, { store, replica }: CarryOutOptions): Promise<void> {
  try {
    await applyClients(object, { store, replica, status: { clients: { [replica]: report } } });
  } catch (error) {
    if (!isGone(error) && !isConflict(error)) throw error;
  }
}

/**
 * To state nothing any more, not even an empty status, takes away what was stated, and who stated it. Holds only for the
 * object as it was seen, for the replica may have come back to life under its name. Returns whether something is left, because
 * the object was written to just now.
 */
async function forgetDead(
  dead: NodePlan["dead"],
  { touched, options: { store, leading, mayWrite, wrote } }: {
    touched: ReadonlySet<WatchedObject | undefined>;
    options: CarryOutOptions;
  },
): Promise<boolean> {
  let again = false;
  for (const { object, replica, waits } of dead) {
    if (touched.has(object)) again = true;
    else if (!waits && mayWrite("dead")) {
      checkLeading(leading);
      const { resourceVersion } = object.metadata;
      const fence = resourceVersion === undefined ? {} : { resourceVersion };
      try {
        wrote(await applyClients(object, { store, replica, fence }), object);
      } catch (error) {
        if (!isGone(error)) throw error;
      }
    }
  }
  return again;
}

function isGone(error: unknown): boolean {
  return error instanceof ChanceryError && error.code === "not-found";
}

async function applyClients(
  { apiVersion, kind, metadata: { name, namespace = "default", uid } }: WatchedObject,
  { store, replica, status, fence = {} }: {
    store: ObjectStore;
    replica: string;
    status?: Record<string, unknown>;
    fence?: { resourceVersion?: string };
  },
): Promise<WatchedObject> {
  const metadata = { name, namespace, ...(uid === undefined ? {} : { uid }), ...fence };
  const options = { fieldManager: `${FIELD_MANAGER}-clients-${replica}`, force: true, subresource: "status" } as const;
  return await store.apply({ apiVersion, kind, metadata, ...(status ? { status } : {}) }, options);
}
