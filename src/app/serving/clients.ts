import { resourceTypeOf } from "../../envoy/mod.ts";
import { type ClientReport, clientReports, type Hub, hubStatus } from "../../xds/mod.ts";
import type { ClientsDocument, ClientsSource, HoldDocument, RejectionDocument } from "../documents/mod.ts";

type HubNode = ReturnType<typeof hubStatus>[number];

/** The clients that are connected to this process, as they are now. */
export function hubClients(hub: Hub): ClientsSource {
  const nodes = new Map(hubStatus(hub).map((node) => [node.id, node]));
  return {
    of: ({ nodeId }) => clientsDocument(hub, nodes.get(nodeId) ?? { id: nodeId, streams: [] }),
    strays: (known) =>
      [...nodes.values()].filter((node) => isStray(node) && !known.has(node.id)).map((node) => ({
        nodeId: node.id,
        clients: clientsDocument(hub, node),
      })),
  };
}

/** Whether clients ask for a node id and nobody gives them anything, not even a VirtualService. */
function isStray({ streams, revision }: HubNode): boolean {
  return streams.length > 0 && revision === undefined;
}

/** The clients of one node id, counted; what they made is told of the revision that is on offer now. */
function clientsDocument(hub: Hub, node: HubNode): ClientsDocument {
  const { id, revision, streams } = node;
  const report = clientReports(hub, id).find((one) => one.revision === revision);
  const { accepted = 0, rejected = 0, refusedData = 0, rejections = [] } = report ?? {};
  const connected = streams.length;
  return {
    ...(revision !== undefined && { publication: revision }),
    connected,
    accepted,
    rejected,
    refusedData,
    pending: connected - accepted - rejected - refusedData, // those that are on their way to this revision, too
    streams: {
      delta: streams.filter(({ protocol }) => protocol === "delta").length,
      sotw: streams.filter(({ protocol }) => protocol === "sotw").length,
    },
    userAgents: countOf(streams.map(({ client }) => client)),
    holds: holdsOf(node),
    rejections: rejections.map(rejectionDocument),
  };
}

function countOf(words: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function holdsOf({ streams }: HubNode): HoldDocument[] {
  const holds = new Map<string, { type: string; waitingFor: string; since: number; streams: number }>();
  for (const { type, waitingFor } of streams.flatMap((stream) => stream.types)) {
    if (!waitingFor) continue;
    const id = JSON.stringify([type, waitingFor.what]);
    const before = holds.get(id);
    holds.set(id, {
      type,
      waitingFor: waitingFor.what,
      since: Math.min(before?.since ?? Infinity, waitingFor.since),
      streams: (before?.streams ?? 0) + 1,
    });
  }
  return [...holds.values()].map((hold) => ({ ...hold, since: new Date(hold.since).toISOString() }));
}

function rejectionDocument(rejection: ClientReport["rejections"][number]): RejectionDocument {
  const { client, typeUrl, version, message, at } = rejection;
  const type = resourceTypeOf(typeUrl)?.short ?? typeUrl;
  return { client, type, version, message, at: new Date(at).toISOString() };
}
