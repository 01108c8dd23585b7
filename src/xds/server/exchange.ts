import type { CallStatus, Peer, StreamHandler } from "../call.ts";

/** One gRPC call of any kind as its handler sees it. */
export interface ServerCall {
  /** Unique in this process. */
  readonly id: string;
  readonly peer: Peer;
  /** Sends one message, `body` then `tail`. Resolves when the bytes have left or the call has ended. */
  write(body: Uint8Array, tail?: Uint8Array): Promise<void>;
  end(status: CallStatus): void;
}

/** What the transport tells about one call. */
export interface Exchange extends StreamHandler {
  /** The client has no more requests. Without this the call ends with OK. */
  requestsEnded?(): void;
}

/** A method of a gRPC service. Unary ones are streams of one message, which is what they are on the wire. */
export interface Route {
  /** `/package.Service/Method` */
  readonly path: string;
  open(call: ServerCall): Exchange;
}
