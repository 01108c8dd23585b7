import { ChanceryError } from "../../../base/mod.ts";
import type { StreamHandler, XdsCall, XdsHandler } from "../../call.ts";

const LARGE = new Uint8Array(1 << 20);

/** Each stream that a test's client opened, as the handler saw it. */
export interface SeenStream {
  readonly call: XdsCall;
  readonly requests: string[];
  closed: number;
}

/** Answers each request with `echo:` as shared body and the request as tail; some requests ask for something else. */
export class EchoHandler implements XdsHandler {
  readonly streams: SeenStream[] = [];
  /** While set, requests are pending. */
  gate: Promise<void> | undefined;
  readonly #body = new TextEncoder().encode("echo:");

  open(call: XdsCall): StreamHandler {
    const seen: SeenStream = { call, requests: [], closed: 0 };
    this.streams.push(seen);
    return {
      request: (bytes) => this.#request(seen, bytes),
      closed: () => void seen.closed++,
    };
  }

  /** Streams that are not over. */
  get live(): readonly SeenStream[] {
    return this.streams.filter((s) => s.closed === 0);
  }

  async #request(seen: SeenStream, bytes: Uint8Array): Promise<void> {
    const text = new TextDecoder().decode(bytes);
    seen.requests.push(text);
    if (text === "bad protobuf") throw new RangeError("index out of range: 3 + 9 > 5");
    if (text === "forbidden") throw new ChanceryError("forbidden", 'Node "a" is not yours\ud800');
    if (text === "bug") throw new TypeError("secret internals");
    if (text === "end") return seen.call.end({ code: 14, details: "asked to" });
    await seen.call.write(text === "large" ? LARGE : this.#body, bytes);
    await this.gate;
  }
}
