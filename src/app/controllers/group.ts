import type { Clock } from "../../base/mod.ts";
import type { ObjectController } from "../../reconcile/engine/mod.ts";
import type { KubeConnection, KubernetesStore } from "../../store/kubernetes/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";

/** What a group of controllers is made from. */
export interface GroupParts {
  readonly store: KubernetesStore;
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether this replica may write for the group at this moment. */
  readonly leading: () => boolean;
  /** Each object is looked at after so long at the latest, in milliseconds. */
  readonly resyncMs: number;
}

/** Controllers that one replica runs at a time. */
export interface ControllerGroup {
  /** For people and metrics. */
  readonly name: string;
  /** Its Lease: whoever holds it runs the group, in whatever role. */
  readonly lease: string;
  open(parts: GroupParts): OpenGroup;
}

/** A group that was made. */
export interface OpenGroup {
  readonly controllers: readonly { readonly kind: string; readonly controller: ObjectController }[];
  /** Sets further metrics. */
  collect?(metrics: Metrics, now: number): void;
}
