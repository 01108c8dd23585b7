import { resourceTypeOf } from "../../envoy/mod.ts";
import type { TypeState } from "../session/mod.ts";
import type { Hub } from "./hub.ts";
import type { Stream } from "./stream.ts";

/** One type on one stream, as `/status` shows it. Times in milliseconds since the epoch. */
export interface TypeStatus {
  /** `CDS`, `LDS`, …, or the type URL of a type outside Envoy's table. */
  readonly type: string;
  /** Subscribed names; `*` for everything. */
  readonly subscribed: number | "*";
  readonly sentVersion?: string;
  readonly ackedVersion?: string;
  readonly rejected?: {
    readonly version: string;
    readonly message: string;
    readonly at: number;
    readonly attempts: number;
  };
  readonly waitingFor?: { readonly what: string; readonly since: number; readonly until?: number };
}

/** One stream. */
export interface StreamStatus {
  readonly id: string;
  readonly protocol: "sotw" | "delta";
  readonly peer: string;
  readonly certificate?: string;
  readonly client: string;
  readonly openedAt: number;
  readonly types: readonly TypeStatus[];
}

/** One node id. */
export interface NodeStatus {
  readonly id: string;
  /** Revision of the configuration on offer; absent when there is none. */
  readonly revision?: string;
  readonly streams: readonly StreamStatus[];
}

/** What the hub knows, for people and machines; names and versions only, no content. */
export function hubStatus(hub: Hub): readonly NodeStatus[] {
  return [...hub.nodes()]
    .map(({ id, snapshot, streams }) => ({
      id,
      ...(snapshot && { revision: snapshot.revision }),
      streams: streams.flatMap(streamStatus),
    }))
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function streamStatus(stream: Stream): StreamStatus[] {
  const { info, session, openedAt } = stream;
  if (!info) return [];
  const { peer, node } = info;
  return [{
    id: info.id,
    protocol: info.protocol,
    peer: peer.address,
    ...(peer.certificate && { certificate: peer.certificate.subject }),
    client: node.userAgent,
    openedAt,
    types: [...session.types.values()].map(typeStatus),
  }];
}

function typeStatus(type: TypeState): TypeStatus {
  const { subscription, sent, acked, refused, hold } = type;
  return {
    type: resourceTypeOf(type.typeUrl)?.short ?? type.typeUrl,
    subscribed: subscription.wildcard ? "*" : subscription.names.size,
    ...(sent && { sentVersion: sent.version }),
    ...(acked && { ackedVersion: acked.version }),
    ...(refused && {
      rejected: { version: refused.version, message: refused.message, at: refused.at, attempts: refused.attempts },
    }),
    ...(hold && {
      waitingFor: {
        what: hold.waitingFor,
        since: hold.since,
        ...(Number.isFinite(hold.until) && { until: hold.until }),
      },
    }),
  };
}
