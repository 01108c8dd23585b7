import type { SessionState, TypeState } from "../session/mod.ts";
import type { Hub } from "./hub.ts";
import type { Stream } from "./stream.ts";

/** One refusal, in the client's words. */
export interface Rejection {
  readonly streamId: string;
  /** The pod's name where the client gives one (`pod_name` in its metadata), else its address. */
  readonly client: string;
  readonly typeUrl: string;
  readonly version: string;
  readonly message: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the clients of a node id made of one revision. Every connected client is in exactly one report. */
export interface ClientReport {
  readonly revision: string;
  /** Streams that this revision is on offer to. */
  readonly connected: number;
  /** Of these, streams that something of it was sent to, or that held all of it already. */
  readonly sent: number;
  /** Streams that acknowledged every type they ask for. */
  readonly accepted: number;
  /** Streams that refused something for which the spec can be to blame. */
  readonly rejected: number;
  /** Streams that refused nothing but what was made from Secrets and endpoints; these never count against the revision. */
  readonly refusedData: number;
  /** Streams that have not answered everything yet. */
  readonly pending: number;
  readonly firstRefusalAt?: number;
  /** The first five refusals, the oldest first. */
  readonly rejections: readonly Rejection[];
}

const MAX_REJECTIONS = 5;

/** What one client made of the revision it is offered. */
export type ClientVerdict = "unsent" | "pending" | "accepted" | "rejected" | "refused-data";

/** Judges one stream by its state alone. */
export function clientVerdict(session: SessionState): ClientVerdict {
  const revision = session.offer?.snapshot.revision;
  const types = [...session.types.values()];
  const refusals = types.flatMap(({ refused }) => refused && refused.revision === revision ? [refused] : []);
  if (refusals.some((refusal) => !refusal.dataOnly)) return "rejected";
  if (refusals.length > 0) return "refused-data";
  const quiet = types.every((type) => type.inFlight.length === 0 && type.unanswered === undefined);
  if (types.length > 0 && quiet && session.settledAt !== undefined) return "accepted";
  return types.some((type) => sentOf(type, revision)) ? "pending" : "unsent";
}

function sentOf(type: TypeState, revision: string | undefined): boolean {
  return type.sent !== undefined && type.sent.revision === revision;
}

/** What all clients of a node id made of what they are offered, one report per revision. */
export function clientReports(hub: Hub, nodeId: string): readonly ClientReport[] {
  const byRevision = new Map<string, Stream[]>();
  for (const stream of hub.streamsOf(nodeId)) {
    const revision = stream.session.offer?.snapshot.revision;
    if (revision === undefined) continue;
    const streams = byRevision.get(revision);
    if (streams) streams.push(stream);
    else byRevision.set(revision, [stream]);
  }
  return [...byRevision].map(([revision, streams]) => reportOf(revision, streams));
}

function reportOf(revision: string, streams: readonly Stream[]): ClientReport {
  const verdicts = streams.map(({ session }) => clientVerdict(session));
  const count = (verdict: ClientVerdict) => verdicts.filter((other) => other === verdict).length;
  const rejections = streams.flatMap((stream) => rejectionsOf(stream, revision)).sort((a, b) => a.at - b.at);
  const blamed = rejections.filter((rejection) => !rejection.dataOnly);
  const [first] = blamed;
  return {
    revision,
    connected: streams.length,
    sent: streams.length - count("unsent"),
    accepted: count("accepted"),
    rejected: count("rejected"),
    refusedData: count("refused-data"),
    pending: count("pending"),
    ...(first && { firstRefusalAt: first.at }),
    rejections: rejections.slice(0, MAX_REJECTIONS).map(({ dataOnly: _, ...rejection }) => rejection),
  };
}

function rejectionsOf({ info, session }: Stream, revision: string): (Rejection & { readonly dataOnly: boolean })[] {
  return [...session.types.values()].flatMap(({ typeUrl, refused }) => {
    if (!info || refused?.revision !== revision) return [];
    const { version, message, at, dataOnly } = refused;
    const client = info.node.metadata.get("pod_name") ?? info.peer.address;
    return [{ streamId: info.id, client, typeUrl, version, message, at, dataOnly }];
  });
}
