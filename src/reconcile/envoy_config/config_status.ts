import type { ConditionType, EnvoyConfigStatus } from "../../api/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** The status of an EnvoyConfig. Written by us alone; an older program wrote the same shape. */
export function statusOf(object: WatchedObject): EnvoyConfigStatus {
  const { status } = object;
  return status !== null && typeof status === "object" ? status as EnvoyConfigStatus : {};
}

/** Whether the stored status has a condition, whatever it says. */
export function has(object: WatchedObject, type: ConditionType): boolean {
  return statusOf(object).conditions?.some((stored) => stored.type === type) ?? false;
}

/** For a condition: the generation that it tells of. */
export function generation({ metadata }: WatchedObject): { observedGeneration?: number } {
  const { generation: observedGeneration } = metadata;
  return observedGeneration === undefined ? {} : { observedGeneration };
}
