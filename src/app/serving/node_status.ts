import { resourceTypeOf } from "../../envoy/mod.ts";
import { type Hub, hubStatus, type StreamInfo } from "../../xds/mod.ts";
import type { Metrics } from "../../telemetry/mod.ts";
import type { NodeStatus, StreamStatus, TypeStatus } from "../admin/mod.ts";

type HubNode = ReturnType<typeof hubStatus>[number];
type HubStream = HubNode["streams"][number];
type HubType = HubStream["types"][number];
type Client = { readonly info: Pick<StreamInfo, "node"> | undefined };

/** What the hub knows, as `/status` shows it. */
export function nodeStatuses(hub: Hub): readonly NodeStatus[] {
  return hubStatus(hub).map(({ id, revision, streams }) => ({
    nodeId: id,
    ...(revision !== undefined && { revision }),
    streams: streams.map(streamStatus),
  }));
}

/** How much is on offer, as numbers for one scrape. */
export function collectSnapshots(metrics: Metrics, hub: Hub): void {
  const counts = new Map<string, number>();
  for (const { snapshot } of hub.nodes()) {
    for (const [typeUrl, { resources }] of snapshot?.types ?? []) {
      const type = resourceTypeOf(typeUrl)?.short ?? "other";
      counts.set(type, (counts.get(type) ?? 0) + resources.size);
    }
  }
  for (const [resource_type, count] of counts) metrics.set("chancery_snapshot_resources", { resource_type }, count);
}

/** How many clients take their configuration from whoever answers, by what the metadata of their node says, for one scrape. */
export function collectUnverified(
  metrics: Metrics,
  nodes: Iterable<{ readonly id: string; readonly streams: Iterable<Client> }>,
): void {
  for (const { id, streams } of nodes) {
    const count = [...streams].filter(({ info }) =>
      info?.node.metadata.get("verifies_discovery_service") === "false"
    ).length;
    if (count > 0) metrics.set("chancery_xds_unverified_clients", { node_id: id }, count);
  }
}

/** The state of clients as numbers for one scrape. */
export function collectNodes(metrics: Metrics, nodes: readonly NodeStatus[]): void {
  metrics.set("chancery_xds_nodes", {}, nodes.filter((node) => node.revision !== undefined).length);
  for (const { nodeId, streams } of nodes) {
    for (const protocol of ["delta", "sotw"] as const) {
      const count = streams.filter((stream) => stream.protocol === protocol).length;
      if (count > 0) metrics.set("chancery_xds_streams", { node_id: nodeId, protocol }, count);
    }
    for (const [type, { held, rejected }] of countsByType(streams)) {
      const labels = { node_id: nodeId, resource_type: type };
      if (held > 0) metrics.set("chancery_xds_holds", labels, held);
      if (rejected > 0) metrics.set("chancery_xds_rejected", labels, rejected);
    }
  }
}

function countsByType(streams: readonly StreamStatus[]): Map<string, { held: number; rejected: number }> {
  const counts = new Map<string, { held: number; rejected: number }>();
  for (const { type, hold, rejected } of streams.flatMap((stream) => stream.types)) {
    const count = counts.get(type) ?? { held: 0, rejected: 0 };
    counts.set(type, { held: count.held + (hold ? 1 : 0), rejected: count.rejected + (rejected ? 1 : 0) });
  }
  return counts;
}

function streamStatus({ openedAt, types, ...stream }: HubStream): StreamStatus {
  return { ...stream, connectedAt: timeOf(openedAt), types: types.map(typeStatus) };
}

function typeStatus({ type, subscribed, sentVersion, ackedVersion, rejected, waitingFor }: HubType): TypeStatus {
  return {
    type,
    subscribed,
    ...(sentVersion !== undefined && { sent: sentVersion }),
    ...(ackedVersion !== undefined && { accepted: ackedVersion }),
    ...(rejected && { rejected: { ...rejected, at: timeOf(rejected.at) } }),
    ...(waitingFor && {
      hold: {
        waitingFor: waitingFor.what,
        since: timeOf(waitingFor.since),
        ...(waitingFor.until !== undefined && { until: timeOf(waitingFor.until) }),
      },
    }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
