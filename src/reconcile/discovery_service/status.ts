import { condition, mergeConditions, sameStatus, type WantedCondition } from "../../api/mod.ts";
import {
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  type DiscoveryServiceStatus,
  ownedLabels,
} from "../../api/operator/mod.ts";
import { alternativeNames } from "../../pki/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import { type Obstacle, obstacleEvents, reconciled } from "../engine/obstacle.ts";
import { isMadeFor, type LiveObjects } from "../engine/owned.ts";
import type { PlannedEvent } from "../engine/planned.ts";
import { readiness } from "./deployment.ts";
import type { DiscoveryServiceInput } from "./inputs.ts";

/** The status of a DiscoveryService, `undefined` when it is as it was (C18), and what is worth an Event (O1). */
export function discoveryServiceStatus(
  input: DiscoveryServiceInput,
  { settings, live, clientsAuthorized, obstacle }: {
    settings: DiscoveryServiceSettings;
    live: LiveObjects;
    /** What is to be told of the rights of clients, if anything. */
    clientsAuthorized?: WantedCondition | undefined;
    obstacle: Obstacle | undefined;
  },
): { status: DiscoveryServiceStatus | undefined; events: readonly PlannedEvent[] } {
  const { now, object } = input;
  const { generation, name, namespace = "default" } = object.metadata;
  const found = live.get({ kind: "Deployment", namespace, name: discoveryServiceNames(name).workload });
  const labels = ownedLabels("discovery-service", name);
  const deployment = found && isMadeFor(found, { owner: object, labels }) ? found : undefined;
  const before = object.status ?? {};
  const observed = generation === undefined ? {} : { observedGeneration: generation };
  const conditions: WantedCondition[] = [
    { ...ready(deployment), ...observed },
    { ...reconciled(obstacle), ...observed },
    { ...verifiable(input, settings), ...observed },
    ...(clientsAuthorized ? [{ ...clientsAuthorized, ...observed }] : []),
  ];
  const removed = settings.clientAuthorization === "Off" ? ["ClientsAuthorized"] as const : [];
  const status: DiscoveryServiceStatus = {
    ...(deployment && {
      deploymentName: deployment.metadata.name,
      deploymentStatus: deployment.status as DiscoveryServiceStatus["deploymentStatus"] ?? {},
    }),
    ...observed,
    conditions: mergeConditions(before.conditions ?? [], conditions, { now, removed }),
  };
  return { status: sameStatus(before, status) ? undefined : status, events: obstacleEvents(object, obstacle) };
}

function ready(deployment: WatchedObject | undefined): WantedCondition {
  const found = readiness(deployment);
  if (!found) {
    return condition("Ready", { status: "False", reason: "NothingMade", message: "There is no Deployment yet" });
  }
  const message = `${found.ready} of ${found.wanted} pods are ready`;
  return found.ready >= found.wanted
    ? condition("Ready", { status: "True", reason: "AllReplicasReady", message })
    : condition("Ready", { status: "False", reason: "ReplicasNotReady", message });
}

/** An Envoy that is told to verify what it cannot never recovers, so this is said only when all of it is in place (S1). */
function verifiable(
  { serverNames, bundle }: DiscoveryServiceInput,
  { host }: DiscoveryServiceSettings,
): WantedCondition {
  if (!serverNames) {
    const message = "There is no server certificate that can be used";
    return condition("ServerVerifiable", { status: "False", reason: "CertificateNotReady", message });
  }
  const { dns: [wanted = host] } = alternativeNames([host]);
  if (!serverNames.dns.includes(wanted)) {
    const message = `The server certificate lacks the name "${wanted}"`;
    return condition("ServerVerifiable", { status: "False", reason: "NamesMissing", message });
  }
  if (!bundle) {
    const message = "There is no bundle to verify it with";
    return condition("ServerVerifiable", { status: "False", reason: "BundleMissing", message });
  }
  const message = "Envoys can verify the server by its name and the bundle";
  return condition("ServerVerifiable", { status: "True", reason: "NamesAndBundleInPlace", message });
}
