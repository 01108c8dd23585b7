import type { Peer } from "../call.ts";
import type { Verdict } from "../session/mod.ts";
import type { NodeInfo } from "../wire/mod.ts";

/** A stream, as told to an observer. */
export interface StreamInfo {
  readonly id: string;
  readonly protocol: "sotw" | "delta";
  readonly node: NodeInfo;
  readonly peer: Peer;
}

/** One response handed to the transport. */
export interface Sent {
  readonly typeUrl: string;
  readonly version: string;
  readonly nonce: string;
  readonly bytes: number;
}

/** Who wants to know what happens; every method may be left out. Calls come in the order of events and must not throw. */
export interface XdsObserver {
  /** A stream has said who it is. */
  opened?(stream: StreamInfo): void;
  closed?(stream: StreamInfo): void;
  /** A type was asked for the first time on a stream. */
  requested?(stream: StreamInfo, typeUrl: string): void;
  sent?(stream: StreamInfo, response: Sent): void;
  /** ACK or NACK. */
  verdict?(stream: StreamInfo, verdict: Verdict): void;
  /** What a client made of its revision may have changed: it was offered one, sent something, or has answered. */
  progressed?(stream: StreamInfo): void;
  /** A stream was ended because of what it sent, or because it may not ask for that node. */
  refused?(peer: Peer, reason: string): void;
}
