import {
  type DiscoveryServiceSettings,
  nodeCertificateName,
  nodeIdUri,
  OPERATOR_ANNOTATIONS,
  ownedLabels,
} from "../../api/operator/mod.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import { isMadeFor, type LiveObjects, removalOf } from "../engine/owned.ts";
import type { PlannedRemoval } from "../engine/planned.ts";
import { sidecarCertificate } from "./certificates.ts";
import type { DiscoveryServiceInput } from "./inputs.ts";

/**
 * A node id that no EnvoyConfig has keeps its certificate for so long, in milliseconds: an EnvoyConfig that is made again finds it, and
 * Envoys that go on with their last configuration have something to show meanwhile.
 */
const UNUSED_MS = 3_600_000;

/** What is to become of the certificates of node ids. */
export interface NodeCertificates {
  readonly wanted: readonly StatedObject[];
  readonly remove: readonly PlannedRemoval[];
  readonly next: number | undefined;
}

/**
 * A certificate for each node id that an EnvoyConfig of the namespace has, where clients need one (S2). Where they do no longer,
 * those that are there stay as long as their EnvoyConfigs: pods show them.
 */
export function nodeCertificatesOf(
  input: DiscoveryServiceInput,
  { settings, live }: { settings: DiscoveryServiceSettings; live: LiveObjects },
): NodeCertificates {
  const { object, now } = input;
  const { namespace = "default" } = object.metadata;
  const there = liveNodeCertificates(input, live);
  const used = new Set(input.nodeIds.filter((id) => settings.clientAuthorization === "NodeID" || there.has(id)));

  function certificate(nodeId: string, unusedSince?: number): StatedObject {
    const { nodeId: id, unusedSince: since } = OPERATOR_ANNOTATIONS;
    return sidecarCertificate(object, {
      settings,
      name: nodeCertificateName(nodeId),
      uris: [nodeIdUri(namespace, nodeId)],
      annotations: {
        [id]: nodeId,
        ...(unusedSince !== undefined && { [since]: new Date(unusedSince).toISOString() }),
      },
    });
  }

  const unused = [...there].filter(([nodeId]) => !used.has(nodeId)).map(([nodeId, found]) => {
    return { nodeId, found, since: unusedSince(found, now) };
  });
  const kept = unused.filter(({ since }) => now < since + UNUSED_MS);
  return {
    wanted: [
      ...[...used].sort().map((nodeId) => certificate(nodeId)),
      ...kept.map(({ nodeId, since }) => certificate(nodeId, since)),
    ],
    remove: unused.filter((one) => !kept.includes(one)).map(({ found }) => removalOf(found)),
    next: kept.map(({ since }) => since + UNUSED_MS).sort((a, b) => a - b)[0],
  };
}

/** Those that are there, by node id. */
function liveNodeCertificates({ object }: DiscoveryServiceInput, live: LiveObjects): Map<string, WatchedObject> {
  const labels = ownedLabels("discovery-service", object.metadata.name);
  const found = new Map<string, WatchedObject>();
  for (const one of live.ofKind("DiscoveryServiceCertificate")) {
    const nodeId = one.metadata.annotations?.[OPERATOR_ANNOTATIONS.nodeId];
    if (nodeId === undefined || one.metadata.name !== nodeCertificateName(nodeId)) continue;
    if (isMadeFor(one, { owner: object, labels })) found.set(nodeId, one);
  }
  return found;
}

/** What lies ahead was written by a clock that was wrong. */
function unusedSince({ metadata: { annotations = {} } }: WatchedObject, now: number): number {
  const since = Date.parse(annotations[OPERATOR_ANNOTATIONS.unusedSince] ?? "");
  return since <= now ? since : now;
}
