import type { KindDefinition } from "../../api/mod.ts";
import type { Clock } from "../../base/mod.ts";
import type { KubeConnection, KubernetesStore, Resource } from "../../store/kubernetes/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";

/** What a group of controllers is made from. */
export interface GroupParts {
  readonly store: KubernetesStore;
  readonly connection: KubeConnection;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Where this program is installed, and its Leases are. */
  readonly namespace: string;
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
  /** The kinds that it carries out. */
  readonly kinds: readonly KindDefinition[];
  /** Whether it keeps Secrets of its own beside its Lease, which are then watched as well. */
  readonly keepsSecrets?: boolean;
  /** Kinds that it looks at and other groups do not. */
  readonly resources?: readonly Resource[];
  open(parts: GroupParts): OpenGroup;
}

/** What looks after objects of one kind while it may. */
export interface RunningController {
  /** Resolves once everything that the store knows has been told; goes on until `signal`. */
  start(signal: AbortSignal): Promise<void>;
  /** This replica leads from now on. */
  lookAtAll(): void;
  /** How many objects could not be brought to what they should be. */
  readonly failing: number;
  /** How many objects are to be looked at, now or at a set time. */
  readonly waiting: number;
  /** Resolves when nothing is left to look at for now. */
  idle(): Promise<void>;
}

/** A group that was made. */
export interface OpenGroup {
  readonly controllers: readonly { readonly kind: string; readonly controller: RunningController }[];
  /** Sets further metrics. */
  collect?(metrics: Metrics, now: number): void;
}
