import { Metadata, type ServerInterceptingCallInterface } from "@grpc/grpc-js";
import { constants, type ServerHttp2Stream } from "node:http2";
import type { CallStatus } from "../call.ts";
import type { ByteBudget } from "./byte_budget.ts";
import type { SendLimits } from "./limits.ts";
import type { MemoryTrimmer } from "./memory_trimmer.ts";
import { PiecedSender } from "./pieced_sender.ts";
import { framedBytes, type OutMessage } from "./pieces.ts";
import type { Wire } from "./server_stream.ts";
import { headerText } from "./status.ts";

/** How messages leave; `pieces` can be switched off to use grpc-js's own writing. */
export interface Sending {
  readonly budget: ByteBudget;
  readonly limits: SendLimits;
  readonly pieces: boolean;
  /** Hears how many bytes were sent. */
  readonly trimmer?: MemoryTrimmer;
}

/** How long a client may take to end its side of a stream that is over. */
const LET_GO_MS = 250;

/** A grpc-js call as a wire. */
export class GrpcWire implements Wire {
  readonly #call: ServerInterceptingCallInterface;
  readonly #stream: ServerHttp2Stream | undefined;
  readonly #trimmer: MemoryTrimmer | undefined;
  readonly #sender: PiecedSender | undefined;
  #giveUp: (() => void) | undefined;
  #closed = false;

  constructor(call: ServerInterceptingCallInterface, sending: Sending) {
    this.#call = call;
    this.#trimmer = sending.trimmer;
    this.#stream = http2StreamOf(call);
    this.#sender = this.#stream && sending.pieces ? new PiecedSender(this.#stream, sending) : undefined;
  }

  /** Whether messages go out in pieces. */
  get pieced(): boolean {
    return this.#sender !== undefined;
  }

  /** The call is over: nothing waits any longer. */
  close(): void {
    this.#closed = true;
    this.#sender?.close();
    this.#giveUp?.();
    this.#letGo();
  }

  read(): void {
    this.#call.startRead();
  }

  send(message: OutMessage): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#trimmer?.sent(framedBytes(message));
    if (!this.#sender) return this.#sendPlain(message);
    this.#call.sendMetadata(new Metadata()); // headers, the first time; later calls do nothing
    return this.#sender.send(message);
  }

  finish({ code, details }: CallStatus): void {
    try {
      this.#call.sendStatus({ code, details: headerText(details), metadata: null });
    } catch {
      this.abort(); // the stream was reset under our hands
    }
  }

  abort(): void {
    this.#stream?.close(constants.NGHTTP2_CANCEL);
  }

  /** After its end on our side a stream lives on until the client ends it, too; one that does not is reset. */
  #letGo(): void {
    const stream = this.#stream;
    if (!stream || stream.destroyed || stream.closed) return;
    const timer = setTimeout(() => stream.close(constants.NGHTTP2_NO_ERROR), LET_GO_MS);
    stream.once("close", () => clearTimeout(timer));
  }

  /** grpc-js copies the message for this stream and calls back only when all went well. */
  #sendPlain(message: OutMessage): Promise<void> {
    return new Promise((resolve) => {
      this.#giveUp = resolve;
      this.#call.sendMessage(message, resolve);
    });
  }
}

/**
 * The HTTP/2 stream under a call. grpc-js 1.14.7 keeps it in a field that is typed private; where it is missing (another layout,
 * an interceptor in between) messages are written by grpc-js itself, with more memory and the same result.
 */
function http2StreamOf(call: ServerInterceptingCallInterface): ServerHttp2Stream | undefined {
  if (!("stream" in call)) return undefined;
  const stream = call.stream as Partial<ServerHttp2Stream> | null | undefined; // checked by the next line
  const usable = typeof stream?.write === "function" && typeof stream.close === "function" && stream.session;
  return usable ? stream as ServerHttp2Stream : undefined; // has what is used of it
}
