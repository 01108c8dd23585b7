import type { ChannelOptions } from "@grpc/grpc-js";

/** What one peer may cost, and how bytes leave. All finite, all settable. */
export interface XdsLimits {
  /** Longest request message in bytes; a longer one ends its stream with RESOURCE_EXHAUSTED. */
  readonly requestBytes: number;
  /** Streams on one connection at a time; further ones are refused by HTTP/2. */
  readonly streamsPerConnection: number;
  /** Connections at a time, over all peers; a further one is closed at once. */
  readonly connections: number;
  /** How long a new connection may take until its first stream, TLS handshake included. */
  readonly firstStreamMs: number;
  /** The server pings a connection after this time and gives it up when `keepaliveTimeoutMs` pass without an answer. */
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
  readonly sending: SendLimits;
}

/** How responses are cut: see {@linkcode PiecedSender}. Bytes, milliseconds. */
export interface SendLimits {
  /** One write. */
  readonly piece: number;
  /** Sent on one stream and not yet known to be read by the peer. */
  readonly segment: number;
  /** The same over all streams of this server. */
  readonly total: number;
  /** How long a peer that does not read may hold on to its part of `total`. */
  readonly stallMs: number;
}

/** Values measured with 200 and 1,000 streams of 321 kB; requests of real Envoys stay below 1 MiB. */
export const DEFAULT_LIMITS: XdsLimits = {
  requestBytes: 4 << 20,
  streamsPerConnection: 256,
  connections: 20_000,
  firstStreamMs: 20_000,
  keepaliveMs: 60_000,
  keepaliveTimeoutMs: 20_000,
  sending: { piece: 32 << 10, segment: 256 << 10, total: 8 << 20, stallMs: 200 },
};

/**
 * The same in the words of grpc-js. It never ends a connection for pinging too often, so a client may ping every 10 s, or
 * faster (W9: go-control-plane's default refuses a ping more often than every 5 minutes).
 */
export function channelOptions(limits: XdsLimits): ChannelOptions {
  return {
    "grpc.max_receive_message_length": limits.requestBytes,
    "grpc.max_send_message_length": -1,
    "grpc.max_concurrent_streams": limits.streamsPerConnection,
    "grpc.keepalive_time_ms": limits.keepaliveMs,
    "grpc.keepalive_timeout_ms": limits.keepaliveTimeoutMs,
  };
}
