import type { WantedCondition } from "../../api/mod.ts";
import {
  type DiscoveryService,
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  discoveryServiceSettings,
  type DiscoveryServiceStatus,
  OPERATOR_ANNOTATIONS,
  ownedLabels,
} from "../../api/operator/mod.ts";
import { byAge } from "../engine/by_age.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import { nameTaken, type Obstacle, obstacleIn } from "../engine/obstacle.ts";
import { controllerReference, isMadeFor, LiveObjects, removalOf } from "../engine/owned.ts";
import type { OwnedPlan, PlannedRemoval } from "../engine/planned.ts";
import { nextTime } from "../certificate/status.ts";
import { accessOf } from "./access.ts";
import { certificatesOf } from "./certificates.ts";
import { clientRuleOf } from "./client_rule.ts";
import { deploymentOf } from "./deployment.ts";
import { replacementOf } from "../engine/immutable.ts";
import type { DiscoveryServiceInput } from "./inputs.ts";
import { nodeCertificatesOf } from "./node_certificates.ts";
import { serviceOf } from "./service.ts";
import { discoveryServiceStatus } from "./status.ts";

/** Plans what a DiscoveryService is made of. Asks nobody and keeps nothing. */
export function planDiscoveryService(input: DiscoveryServiceInput): OwnedPlan<DiscoveryServiceStatus> {
  const { object } = input;
  if (object.metadata.deletionTimestamp !== undefined) {
    return { replace: [], apply: [], remove: [], status: undefined, events: [], next: undefined };
  }
  const settings = discoveryServiceSettings(object);
  const live = new LiveObjects(input.owned);
  const obstacle = obstacleTo(input, settings);
  if (obstacle) {
    return {
      replace: [],
      apply: [],
      remove: [],
      next: undefined,
      ...discoveryServiceStatus(input, { settings, live, obstacle }),
    };
  }
  const { wanted, remove, clientsAuthorized, waits, next } = wantedObjects(input, { settings, live });
  const taken = wanted.filter((one) => belongsToOthers(live.at(one), object));
  const free = wanted.filter((one) => !taken.includes(one));
  return {
    replace: free.flatMap((one) => replacementOf(one, live.at(one))),
    apply: free,
    remove: [...leftovers(object, live), ...remove],
    ...discoveryServiceStatus(input, { settings, live, clientsAuthorized, obstacle: nameTaken(taken) ?? waits }),
    next,
  };
}

/** What keeps anything from being written at all. */
function obstacleTo(
  { object, siblings }: DiscoveryServiceInput,
  settings: DiscoveryServiceSettings,
): Obstacle | undefined {
  const obstacle = obstacleIn(object, settings.findings);
  if (obstacle) return obstacle;
  const older = siblings.find((other) => byAge([{ object }, { object: other }])[0]?.object === other); // C17
  if (!older) return undefined;
  return {
    reason: "NotTheOldest",
    message: `DiscoveryService "${older.metadata.name}" is older, and one serves a namespace`,
  };
}

interface Wanted {
  readonly wanted: StatedObject[];
  readonly remove: readonly PlannedRemoval[];
  readonly clientsAuthorized: WantedCondition | undefined;
  readonly waits: Obstacle | undefined;
  readonly next: number | undefined;
}

function wantedObjects(
  input: DiscoveryServiceInput,
  { settings, live }: { settings: DiscoveryServiceSettings; live: LiveObjects },
): Wanted {
  const { object, image } = input;
  const { name, namespace = "default" } = object.metadata;
  const names = discoveryServiceNames(name);
  const labels = ownedLabels("discovery-service", name);
  const deployment = live.get({ kind: "Deployment", namespace, name: names.workload });
  const { own, sidecar } = certificatesOf(object, {
    ...{ settings, live, hosts: serverHosts(object, { settings, live }) },
  });
  const nodes = nodeCertificatesOf(input, { settings, live });
  const clients = [sidecar, ...nodes.wanted];
  const { rule, told: clientsAuthorized, next } = clientRuleOf(input, { settings, live: deployment, wanted: clients });
  const wanted: StatedObject[] = [
    ...own,
    ...clients,
    ...accessOf(object),
    serviceOf(object, settings),
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: names.workload, namespace, labels, ownerReferences: [controllerReference(object)] },
      spec: { maxUnavailable: 1, selector: { matchLabels: labels } },
    },
  ];
  const rest = { wanted, remove: nodes.remove, clientsAuthorized, next: nextTime(input.now, [nodes.next, next]) };
  const hash = certificateHash(live, { namespace, name: names.serverCertificate }) ??
    deployment?.metadata.annotations?.[OPERATOR_ANNOTATIONS.serverCertificateHash];
  // Pods whose volumes are missing hang; and a Deployment that runs is left as it is until there is something better (A7).
  if (hash === undefined || !input.bundle) {
    const message = hash === undefined ? "The server certificate is not there yet" : "The bundle is not there yet";
    return { ...rest, waits: { reason: "CertificateNotReady", message } };
  }
  wanted.push(deploymentOf(object, { settings, rule, image, hash, live: deployment }));
  return { ...rest, waits: undefined };
}

/**
 * The names of the Service, and those of Services that it had before: they stay until somebody deletes them, for Envoys that were
 * started with such a name know no other.
 */
function serverHosts(
  object: DiscoveryService,
  { settings, live }: { settings: DiscoveryServiceSettings; live: LiveObjects },
): readonly string[] {
  const { name, namespace = "default" } = object.metadata;
  const labels = ownedLabels("discovery-service", name);
  const earlier = live.ofKind("Service")
    .filter((one) => isMadeFor(one, { owner: object, labels }) && one.metadata.name !== settings.service.name)
    .map((one) => one.metadata.name).sort();
  const host = (service: string) => `${service}.${namespace}.svc`;
  return [
    ...settings.serverHosts,
    ...earlier.flatMap((one) => [one, `${one}.${namespace}`, host(one), `${host(one)}.cluster.local`]),
  ];
}

function certificateHash(
  live: LiveObjects,
  { namespace, name }: { namespace: string; name: string },
): string | undefined {
  const certificate = live.get({ kind: "DiscoveryServiceCertificate", namespace, name });
  const status = certificate?.status as { certificateHash?: string } | undefined; // our own kind
  return status?.certificateHash || undefined;
}

function belongsToOthers(found: WatchedObject | undefined, owner: DiscoveryService): boolean {
  const labels = ownedLabels("discovery-service", owner.metadata.name);
  return found !== undefined && !isMadeFor(found, { owner, labels });
}

/** What older programs made and nobody needs any more: the Role, whose rights now come from a ClusterRole (S4). */
function leftovers(object: DiscoveryService, live: LiveObjects): PlannedRemoval[] {
  const { name, namespace = "default" } = object.metadata;
  const role = live.get({ kind: "Role", namespace, name: discoveryServiceNames(name).workload });
  const labels = ownedLabels("discovery-service", name);
  return role && isMadeFor(role, { owner: object, labels }) ? [removalOf(role)] : [];
}
