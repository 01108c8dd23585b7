import { type Condition, condition, mergeConditions, sameStatus, type WantedCondition } from "../../api/mod.ts";
import { keyOf, type WatchedObject } from "./object_source.ts";
import type { PlannedEvent } from "./planned.ts";

/** A status, as far as it has conditions. */
interface WithConditions {
  readonly conditions?: readonly Condition[];
}

/**
 * The status of an object of which something could not be made, and the Event that tells of it; `undefined` when the present one says
 * so already. `planned` is the status for when all would have gone well, if that differs from the present one.
 */
export function refusedStatus(
  object: WatchedObject,
  planned: WithConditions | undefined,
  { message, now }: { message: string; now: number },
): { status: object; event: PlannedEvent } | undefined {
  const before = (object.status ?? {}) as WithConditions; // a status of ours
  const after = planned ?? before;
  const { generation } = object.metadata;
  const refused = condition("Reconciled", {
    ...{ status: "False", reason: "WriteRefused", message },
    ...(generation !== undefined && { observedGeneration: generation }),
  });
  const others = (after.conditions ?? []).filter(({ type }) => type !== refused.type)
    .map(({ lastTransitionTime: _, ...told }): WantedCondition => told);
  const status = { ...after, conditions: mergeConditions(before.conditions ?? [], [...others, refused], { now }) };
  if (sameStatus(before, status)) return undefined;
  return { status, event: { about: keyOf(object), type: "Warning", reason: "WriteRefused", message } };
}
