import type { ConditionType, ReasonOf } from "../../api/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import type { StatedObject } from "./object_source.ts";

/** An Event that a plan asks for; its reason is one of a condition. */
export interface PlannedEvent {
  readonly about: ObjectKey;
  readonly type: "Normal" | "Warning";
  readonly reason: { [T in ConditionType]: ReasonOf<T> }[ConditionType];
  readonly message: string;
}

/** An object that is to go, as it was seen; another one of that name stays. */
export interface PlannedRemoval {
  readonly key: ObjectKey;
  readonly uid: string;
}

/** What is to become of the objects that belong to another one. The order is that of the writes. */
export interface OwnedPlan<Status> {
  /** Objects of ours in which a field differs that cannot be changed; they are made anew by `apply`. */
  readonly replace: readonly PlannedRemoval[];
  readonly apply: readonly StatedObject[];
  readonly remove: readonly PlannedRemoval[];
  /** `undefined` when the present one says the same (C18). */
  readonly status: Status | undefined;
  readonly events: readonly PlannedEvent[];
  /** When to look again though nothing changes. */
  readonly next: number | undefined;
}
