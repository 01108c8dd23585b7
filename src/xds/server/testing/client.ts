import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientDuplexStream,
  credentials,
  type StatusObject,
} from "@grpc/grpc-js";
import { Buffer } from "node:buffer";

export const ADS_SOTW = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources";
export const ADS_DELTA = "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources";

/** A gRPC client of bytes. */
export class TestClient {
  readonly #client: Client;

  constructor(address: string, options: { credentials?: ChannelCredentials; channel?: ChannelOptions } = {}) {
    this.#client = new Client(address, options.credentials ?? credentials.createInsecure(), {
      "grpc.max_receive_message_length": -1,
      "grpc.use_local_subchannel_pool": 1,
      ...options.channel,
    });
  }

  open(path: string): TestStream {
    return new TestStream(this.#client.makeBidiStreamRequest(path, toBuffer, identity));
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** One stream with its messages and its status. */
export class TestStream {
  readonly messages: Buffer[] = [];
  /** Resolves with the status, whatever it is. */
  readonly status: Promise<StatusObject>;
  readonly #call: ClientDuplexStream<Uint8Array, Buffer>;
  #arrived: (() => void)[] = [];
  #over = false;

  constructor(call: ClientDuplexStream<Uint8Array, Buffer>) {
    this.#call = call;
    call.on("data", (message: Buffer) => {
      this.messages.push(message);
      this.#wake();
    });
    call.on("error", () => {});
    this.status = new Promise((resolve) =>
      call.on("status", (status) => {
        this.#over = true;
        this.#wake();
        resolve(status);
      })
    );
  }

  send(message: string | Uint8Array): void {
    this.#call.write(typeof message === "string" ? new TextEncoder().encode(message) : message);
  }

  /** Waits until so many messages arrived in all. */
  async received(count: number): Promise<Buffer[]> {
    while (this.messages.length < count) {
      if (this.#over) throw new Error(`The stream ended with ${this.messages.length} of ${count} messages`);
      await new Promise<void>((resolve) => this.#arrived.push(resolve));
    }
    return this.messages;
  }

  /** The messages as text. */
  async texts(count: number): Promise<string[]> {
    return (await this.received(count)).map((m) => m.toString());
  }

  pause(): void {
    this.#call.pause();
  }

  resume(): void {
    this.#call.resume();
  }

  halfClose(): void {
    this.#call.end();
  }

  cancel(): void {
    this.#call.cancel();
  }

  #wake(): void {
    for (const resolve of this.#arrived.splice(0)) resolve();
  }
}

/** Credentials of mutual TLS. */
export function mutualTls(ca: string, own?: { cert: string; key: string }): ChannelCredentials {
  return credentials.createSsl(Buffer.from(ca), own ? Buffer.from(own.key) : null, own ? Buffer.from(own.cert) : null);
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function identity(bytes: Buffer): Buffer {
  return bytes;
}
