import { Buffer } from "node:buffer";
import { connect, type Socket } from "node:net";
import { connect as connectTls, type ConnectionOptions } from "node:tls";

/** What a client says first on an HTTP/2 connection. */
export const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** Frame types of HTTP/2: https://www.rfc-editor.org/rfc/rfc9113#section-6 */
export const FRAME = { data: 0, headers: 1, rstStream: 3, settings: 4, ping: 6, goaway: 7, windowUpdate: 8 } as const;

/** One HTTP/2 frame. */
export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** The bytes of a frame. */
export function frame(type: number, options: { flags?: number; stream?: number; payload?: Uint8Array } = {}): Buffer {
  const { flags = 0, stream = 0, payload = new Uint8Array() } = options;
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HEADERS of a gRPC request: literal fields without Huffman coding. */
export function requestHeaders(stream: number, path: string, fields: Record<string, string> = {}): Buffer {
  const all = {
    ":method": "POST",
    ":scheme": "http",
    ":path": path,
    ":authority": "test",
    "content-type": "application/grpc",
    te: "trailers",
    ...fields,
  };
  const block = Object.entries(all).flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]);
  return frame(FRAME.headers, { flags: 0x4, stream, payload: Buffer.concat(block) });
}

/** A gRPC message in a DATA frame; `length` lies about its size. */
export function message(stream: number, payload: Uint8Array, length = payload.length): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(length, 1);
  return frame(FRAME.data, { stream, payload: Buffer.concat([head, payload]) });
}

/** A connection on which a test says anything. */
export class RawConnection {
  readonly #socket: Socket;
  #bytes: Buffer = Buffer.alloc(0);
  #closed = false;
  #changed: (() => void)[] = [];

  constructor(port: number, tls?: ConnectionOptions) {
    const options = { host: "127.0.0.1", port };
    this.#socket = tls
      ? connectTls({ servername: "localhost", ALPNProtocols: ["h2"], ...tls, ...options })
      : connect(options);
    this.#socket.on("data", (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#wake();
    });
    this.#socket.on("error", () => {});
    this.#socket.on("close", () => {
      this.#closed = true;
      this.#wake();
    });
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** What came back so far, as text. */
  get text(): string {
    return this.#bytes.toString("latin1");
  }

  /** The whole frames that came back so far. */
  get frames(): Frame[] {
    const frames: Frame[] = [];
    for (let at = 0; at + 9 <= this.#bytes.length;) {
      const end = at + 9 + this.#bytes.readUIntBE(at, 3);
      if (end > this.#bytes.length) break;
      frames.push({
        type: this.#bytes.readUInt8(at + 3),
        flags: this.#bytes.readUInt8(at + 4),
        stream: this.#bytes.readUInt32BE(at + 5),
        payload: this.#bytes.subarray(at + 9, end),
      });
      at = end;
    }
    return frames;
  }

  send(...parts: Uint8Array[]): void {
    if (!this.#socket.destroyed) this.#socket.write(Buffer.concat(parts));
  }

  /** Ends this side after all that was sent. */
  finish(): void {
    this.#socket.end();
  }

  /** Stops taking bytes from the socket. */
  pause(): void {
    this.#socket.pause();
  }

  /** Waits for frames of one kind. */
  async receivedFrames(type: number, count = 1): Promise<Frame[]> {
    await this.waitFor(() => this.frames.filter((f) => f.type === type).length >= count || this.#closed);
    return this.frames.filter((f) => f.type === type);
  }

  /** Waits until the server closed the connection. */
  async end(): Promise<void> {
    await this.waitFor(() => this.#closed);
  }

  async waitFor(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.end();
  }

  #wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}

/** An HPACK string of up to 126 bytes or, with a longer prefix integer, any length. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  if (bytes.length < 127) return Buffer.concat([Buffer.of(bytes.length), bytes]);
  const length = [127];
  let rest = bytes.length - 127;
  for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128);
  return Buffer.concat([Buffer.of(...length, rest), bytes]);
}
