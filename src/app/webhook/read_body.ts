import type { IncomingMessage } from "node:http";
import { HttpProblem } from "./http_problem.ts";

/** How much one body may hold: an object and its predecessor at the API server's own limit of 3 MiB, and what is around them. */
export const MAX_BODY_BYTES = 7 * 1024 * 1024;

/** How much all bodies that are being read may hold together. Whoever only dribbles takes only what was sent. */
const MAX_TOTAL_BYTES = 128 * 1024 * 1024;

/** Bytes of the bodies that are in memory now. */
export class BodyBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number = MAX_TOTAL_BYTES) {
    this.#max = max;
  }

  /** Reads the body of a request. Throws {@linkcode HttpProblem} when it is too large, or the signal's reason when that comes first. */
  async read(request: IncomingMessage, signal: AbortSignal): Promise<string> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    try {
      if (Number(request.headers["content-length"] ?? 0) > MAX_BODY_BYTES) throw tooLarge();
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => reject(signal.reason);
        if (signal.aborted) return onAbort();
        signal.addEventListener("abort", onAbort, { once: true });
        request.on("data", (chunk: Uint8Array) => {
          bytes += chunk.length;
          this.#held += chunk.length;
          if (bytes > MAX_BODY_BYTES) return reject(tooLarge());
          if (this.#held > this.#max) return reject(busy());
          chunks.push(chunk);
        });
        request.once("end", resolve);
        request.once("error", reject);
        request.once("close", () => reject(gone()));
      });
      return new TextDecoder().decode(joined(chunks, bytes));
    } finally {
      this.#held -= bytes;
      bytes = 0;
      chunks.length = 0;
      request.removeAllListeners("data");
      request.resume(); // what is still to come is thrown away, so that the answer can be read
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
