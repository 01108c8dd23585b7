import type { CallStatus } from "../call.ts";
import type { ServerStream } from "./server_stream.ts";

/** The calls of one server that are not over yet. */
export class OpenCalls {
  readonly #streams = new Set<ServerStream>();
  #refusal: CallStatus | undefined;

  get size(): number {
    return this.#streams.size;
  }

  /** Why new calls are turned away, if they are. */
  get refusal(): CallStatus | undefined {
    return this.#refusal;
  }

  add(stream: ServerStream): void {
    this.#streams.add(stream);
  }

  remove(stream: ServerStream): void {
    this.#streams.delete(stream);
  }

  /** Ends all calls and every later one. */
  endAll(status: CallStatus): void {
    this.#refusal = status;
    for (const stream of [...this.#streams]) stream.end(status);
  }
}
