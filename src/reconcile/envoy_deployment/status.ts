import { condition, mergeConditions, sameStatus, type WantedCondition } from "../../api/mod.ts";
import {
  envoyDeploymentNames,
  type EnvoyDeploymentSettings,
  type EnvoyDeploymentStatus,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { type Obstacle, obstacleEvents, reconciled } from "../engine/obstacle.ts";
import { isMadeFor, type LiveObjects } from "../engine/owned.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import type { EnvoyDeploymentInput } from "./inputs.ts";

/** How many pods there are, and how many of them are as they shall be. */
export interface PodCounts {
  readonly all: number;
  readonly wanted: number;
  readonly ready: number;
}

/** The pods of a Deployment or DaemonSet; none are ready before its controller has looked at the present spec. */
export function podCounts(live: WatchedObject): PodCounts {
  const status = (live.status ?? {}) as Readonly<Record<string, number | undefined>>; // counts, as far as they are read
  const current = (status.observedGeneration ?? 0) >= (live.metadata.generation ?? 0);
  if (live.kind === "DaemonSet") {
    const wanted = status.desiredNumberScheduled ?? 0;
    const ready = Math.min(status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0);
    return { all: status.currentNumberScheduled ?? 0, wanted, ready: current ? ready : 0 };
  }
  const { replicas: wanted = 1 } = (live.spec ?? {}) as { replicas?: number }; // a Deployment, by its kind
  const ready = Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0);
  return { all: status.replicas ?? 0, wanted, ready: current ? ready : 0 };
}

/** The status of an EnvoyDeployment, `undefined` when it is as it was (C18), and what is worth an Event (O1). */
export function envoyDeploymentStatus(
  { now, object }: EnvoyDeploymentInput,
  { settings, live, obstacle }: {
    settings: EnvoyDeploymentSettings;
    live: LiveObjects;
    obstacle: Obstacle | undefined;
  },
): { status: EnvoyDeploymentStatus | undefined; events: readonly PlannedEvent[] } {
  const { generation, name, namespace = "default" } = object.metadata;
  const found = live.get({ kind: settings.workload, namespace, name: envoyDeploymentNames(name).workload });
  const labels = ownedLabels("envoy-deployment", name);
  const workload = found && isMadeFor(found, { owner: object, labels }) ? found : undefined;
  const counts = workload && podCounts(workload);
  const before = object.status ?? {};
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions: WantedCondition[] = [{ ...ready(counts), ...observed }, { ...reconciled(obstacle), ...observed }];
  const status: EnvoyDeploymentStatus = {
    ...(workload && counts && {
      deploymentName: workload.metadata.name,
      ...(workload.kind === "Deployment" && {
        deploymentStatus: workload.status as EnvoyDeploymentStatus["deploymentStatus"] ?? {},
      }),
      replicas: counts.all,
    }),
    selector: Object.entries(labels).map((label) => label.join("=")).join(","),
    ...observed,
    conditions: mergeConditions(before.conditions ?? [], conditions, { now }),
  };
  return { status: sameStatus(before, status) ? undefined : status, events: obstacleEvents(object, obstacle) };
}

function ready(counts: PodCounts | undefined): WantedCondition {
  if (!counts) return condition("Ready", { status: "False", reason: "NothingMade", message: "There are no pods yet" });
  const message = `${counts.ready} of ${counts.wanted} pods are ready`;
  return counts.ready >= counts.wanted
    ? condition("Ready", { status: "True", reason: "AllReplicasReady", message })
    : condition("Ready", { status: "False", reason: "ReplicasNotReady", message });
}
