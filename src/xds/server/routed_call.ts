import { ServerInterceptingCall, type ServerInterceptingCallInterface, type ServerInterceptor } from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import type { Peer } from "../call.ts";
import type { Route } from "./exchange.ts";
import { GrpcWire, type Sending } from "./grpc_wire.ts";
import type { OpenCalls } from "./open_calls.ts";
import { peerOf } from "./peer.ts";
import { ServerStream } from "./server_stream.ts";

/** What all calls of a server share. */
export interface CallContext {
  readonly routes: ReadonlyMap<string, Route>;
  readonly calls: OpenCalls;
  readonly sending: Sending;
  readonly onBug: (thrown: unknown) => void;
  /** A call was opened; `pieced` tells whether the way to its HTTP/2 stream was found. */
  readonly onCall?: (peer: Peer, pieced: boolean) => void;
}

/**
 * Leads calls past grpc-js's own stream objects to the routes: those read up to 16 messages ahead, and this reads one message
 * only when the one before is done with. Must be the first interceptor, since only that one sees the HTTP/2 stream.
 */
export function routeCalls(context: CallContext): ServerInterceptor {
  return (method, call) => {
    const route = context.routes.get(method.path);
    return route ? new RoutedCall(call, { route, context }) : new ServerInterceptingCall(call);
  };
}

class RoutedCall extends ServerInterceptingCall {
  readonly #call: ServerInterceptingCallInterface;
  readonly #route: Route;
  readonly #context: CallContext;

  constructor(call: ServerInterceptingCallInterface, options: { route: Route; context: CallContext }) {
    super(call);
    this.#call = call;
    this.#route = options.route;
    this.#context = options.context;
  }

  /** The listener given here belongs to grpc-js's stream object, which is never made. */
  override start(): void {
    const { calls, sending, onBug, onCall } = this.#context;
    const wire = new GrpcWire(this.#call, sending);
    const stream = new ServerStream(wire, { peer: this.#peer(), onBug });
    this.#call.start({
      onReceiveMetadata: () => {
        if (calls.refusal) return wire.finish(calls.refusal);
        calls.add(stream);
        onCall?.(stream.peer, wire.pieced);
        stream.open(this.#route);
      },
      onReceiveMessage: (message: unknown) => {
        // The deserializer is the identity, so a message is what the decoder made.
        if (Buffer.isBuffer(message)) stream.received(message);
      },
      onReceiveHalfClose: () => stream.requestsEnded(),
      onCancel: () => {
        calls.remove(stream);
        wire.close();
        stream.closed();
      },
    });
  }

  /** A certificate that passed the handshake and cannot be read all the same must not end the process; it names nobody. */
  #peer(): Peer {
    try {
      return peerOf(this.#call);
    } catch (thrown) {
      this.#context.onBug(thrown);
      return { address: "unknown" };
    }
  }
}
