import type { IncomingMessage } from "node:http";
import { HttpProblem } from "./http_problem.ts";

/** How much one body may hold: an object and its predecessor at the API server's own limit of 3 MiB, and what is around them. */
export const MAX_BODY_BYTES = 7 * 1024 * 1024;

/** What nearly every pod and EnvoyConfig fits into: so much of a body is read whatever else is being read. */
const SMALL_BYTES = 64 * 1024;

/** How much all bodies that are being read may hold beyond that together. Whoever only dribbles takes only what was sent. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;

/**
 * Bytes of the bodies that are in memory now. What cannot be held is refused, not left waiting on its way: of a TLS connection everything
 * that is sent is taken in by the runtime, whether anybody reads it or not.
 */
export class BodyBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number = MAX_TOTAL_BYTES) {
    this.#max = max;
  }

  /** Reads the body of a request. Throws {@linkcode HttpProblem} when it is too large, or the signal's reason when that comes first. */
  async read(request: IncomingMessage, signal: AbortSignal): Promise<string> {
    if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    let held = 0;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    const onClose = () => reject(gone());
    const onData = (chunk: Uint8Array) => {
      bytes += chunk.length;
      const more = Math.max(0, bytes - SMALL_BYTES) - held;
      held += more;
      this.#held += more;
      if (bytes > MAX_BODY_BYTES) return reject(tooLarge());
      if (more > 0 && this.#held > this.#max) return reject(busy());
      chunks.push(chunk);
    };
    request.on("error", onClose); // for good: it may come when nobody reads any more
    try {
      signal.throwIfAborted();
      signal.addEventListener("abort", onAbort, { once: true });
      request.on("data", onData).once("end", resolve).once("close", onClose);
      await promise;
      return new TextDecoder().decode(joined(chunks, bytes));
    } finally {
      this.#held -= held;
      chunks.length = 0;
      request.off("data", onData).off("end", resolve).off("close", onClose);
      signal.removeEventListener("abort", onAbort);
    }
  }
}

function joined(chunks: readonly Uint8Array[], bytes: number): Uint8Array {
  const all = new Uint8Array(bytes);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function tooLarge(): HttpProblem {
  const message = `Cannot read the admission review: the body has more than ${MAX_BODY_BYTES} bytes`;
  return new HttpProblem(413, message, { reason: "too-large" });
}

function busy(): HttpProblem {
  const message = "Cannot read the admission review: too many others are being read";
  return new HttpProblem(503, message, { reason: "busy", headers: { "retry-after": "1" } });
}

function gone(): HttpProblem {
  return new HttpProblem(400, "Cannot read the admission review: the connection was closed", { reason: "gone" });
}
