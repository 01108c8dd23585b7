import {
  discoveryServiceSettings,
  type EnvoyDeployment,
  envoyDeploymentNames,
  type EnvoyDeploymentSettings,
  envoyDeploymentSettings,
  type EnvoyDeploymentStatus,
  ownedLabels,
} from "../../api/operator/mod.ts";
import { formatKey } from "../../base/mod.ts";
import { replacementOf } from "../engine/immutable.ts";
import { keyOf, type StatedObject, type WatchedObject } from "../engine/object_source.ts";
import { nameTaken, type Obstacle, obstacleIn } from "../engine/obstacle.ts";
import { isMadeFor, LiveObjects, removalOf } from "../engine/owned.ts";
import type { OwnedPlan, PlannedRemoval } from "../engine/planned.ts";
import { autoscalerOf, clientCertificateOf, disruptionBudgetOf, serviceOf } from "./companions.ts";
import type { EnvoyDeploymentInput } from "./inputs.ts";
import { envoyDeploymentStatus, podCounts } from "./status.ts";
import { verificationOf } from "./verification.ts";
import { workloadOf } from "./workload.ts";

/** Kinds of which there is one only while it is asked for. */
const OPTIONAL = ["HorizontalPodAutoscaler", "PodDisruptionBudget", "Service"] as const;

/** Plans what an EnvoyDeployment is made of. Asks nobody and keeps nothing. */
export function planEnvoyDeployment(input: EnvoyDeploymentInput): OwnedPlan<EnvoyDeploymentStatus> {
  const { object } = input;
  if (object.metadata.deletionTimestamp !== undefined) {
    return { replace: [], apply: [], remove: [], status: undefined, events: [], next: undefined };
  }
  const settings = envoyDeploymentSettings(object, input);
  const live = new LiveObjects(input.owned);
  const { wanted, obstacle: waits, next } = wantedObjects(input, { settings, live });
  const taken = wanted.filter((one) => belongsToOthers(live.at(one), object));
  const free = wanted.filter((one) => !taken.includes(one));
  const obstacle = nameTaken(taken) ?? waits;
  return {
    replace: free.flatMap((one) => replacementOf(one, live.at(one))),
    apply: free,
    // Whoever is not sure what is wanted takes nothing away.
    remove: waits ? [] : leftovers(object, { wanted, settings, live }),
    ...envoyDeploymentStatus(input, { settings, live, obstacle }),
    next,
  };
}

interface Wanted {
  readonly wanted: readonly StatedObject[];
  readonly obstacle?: Obstacle;
  readonly next: number | undefined;
}

function wantedObjects(
  input: EnvoyDeploymentInput,
  { settings, live }: { settings: EnvoyDeploymentSettings; live: LiveObjects },
): Wanted {
  const { object, discoveryService, nodeId, now } = input;
  const { name, namespace = "default" } = object.metadata;
  const obstacle = obstacleIn(object, settings.findings);
  if (obstacle) return { wanted: [], obstacle, next: undefined };
  // The object named first is told first; nothing is known without both (O1).
  if (!discoveryService) {
    const message = `There is no DiscoveryService "${object.spec.discoveryServiceRef}"`;
    return { wanted: [], obstacle: { reason: "DiscoveryServiceNotFound", message }, next: undefined };
  }
  if (nodeId === undefined) {
    const message = `There is no EnvoyConfig "${object.spec.envoyConfigRef}"`;
    return { wanted: [], obstacle: { reason: "EnvoyConfigNotFound", message }, next: undefined };
  }
  const service = discoveryServiceSettings(discoveryService);
  const found = live.get({ kind: settings.workload, namespace, name: envoyDeploymentNames(name).workload });
  const wanted = [
    clientCertificateOf(object, { settings, service, nodeId, live }),
    ...autoscalerOf(object, settings),
    ...disruptionBudgetOf(object),
    ...serviceOf(object, settings),
  ];
  const verification = verificationOf(discoveryService, { live: found, now });
  if (verification.kind === "wait") {
    const { message, until } = verification;
    return { wanted, obstacle: { reason: "CertificateNotReady", message }, next: until };
  }
  const bundle = verification.kind === "by-bundle" ? verification.bundle : undefined;
  // Before the autoscaler, which looks for it.
  wanted.splice(1, 0, workloadOf(input, { settings, service, nodeId, bundle, live: found }));
  return { wanted, next: undefined };
}

function belongsToOthers(found: WatchedObject | undefined, owner: EnvoyDeployment): boolean {
  return found !== undefined && !isOurs(found, owner);
}

function isOurs(found: WatchedObject, owner: EnvoyDeployment): boolean {
  return isMadeFor(found, { owner, labels: ownedLabels("envoy-deployment", owner.metadata.name) });
}

/** What was asked for once and is not any more; only what is ours (C9), and pods only when others have taken their place. */
function leftovers(
  object: EnvoyDeployment,
  { wanted, settings, live }: { wanted: readonly StatedObject[]; settings: EnvoyDeploymentSettings; live: LiveObjects },
): PlannedRemoval[] {
  const { name, namespace = "default" } = object.metadata;
  const kept = new Set(wanted.map((one) => formatKey(keyOf(one))));
  const optional = OPTIONAL.flatMap((kind) => live.ofKind(kind)).filter((one) => !kept.has(formatKey(keyOf(one))));
  const workload = envoyDeploymentNames(name).workload;
  const other = settings.workload === "Deployment" ? "DaemonSet" : "Deployment";
  const before = live.get({ kind: other, namespace, name: workload });
  const after = live.get({ kind: settings.workload, namespace, name: workload });
  const counts = after && podCounts(after);
  const replaced = counts !== undefined && counts.wanted > 0 && counts.ready >= counts.wanted;
  return [...optional, ...(before && replaced ? [before] : [])].filter((one) => isOurs(one, object)).map(removalOf);
}
