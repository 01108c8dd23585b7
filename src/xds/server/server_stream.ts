import type { CallStatus, Peer } from "../call.ts";
import type { Exchange, Route, ServerCall } from "./exchange.ts";
import type { OutMessage } from "./pieces.ts";
import { isProgramError, OK, statusOf } from "./status.ts";

/** What a stream needs of whatever carries it. */
export interface Wire {
  /** Asks for one more request. */
  read(): void;
  /** Sends one message; resolves when it left or the stream is over. One at a time. */
  send(message: OutMessage): Promise<void>;
  /** Ends the stream in an orderly way. */
  finish(status: CallStatus): void;
  /** Ends the stream although a message is half sent. */
  abort(): void;
}

/** How long a half-sent message may take to leave after the call was ended. */
const LAST_MESSAGE_MS = 1_000;

let calls = 0;

/**
 * One call, kept in order: requests one by one, messages one by one, one end. Whatever the handler throws ends this call and
 * nothing else.
 */
export class ServerStream implements ServerCall {
  readonly id = String(++calls);
  readonly peer: Peer;
  readonly #wire: Wire;
  readonly #onBug: (thrown: unknown) => void;
  #exchange: Exchange | undefined;
  #state: "open" | "ending" | "closed" = "open";
  /** The messages that have not left yet, as one promise. */
  #sending: Promise<void> | undefined;
  #lastMessage: ReturnType<typeof setTimeout> | undefined;

  constructor(wire: Wire, options: { peer: Peer; onBug: (thrown: unknown) => void }) {
    this.#wire = wire;
    this.peer = options.peer;
    this.#onBug = options.onBug;
  }

  /** Hands the stream to its handler and reads the first request. */
  open(route: Route): void {
    if (this.#guarded(() => this.#exchange = route.open(this))) this.#read();
  }

  write(body: Uint8Array, tail: Uint8Array = new Uint8Array()): Promise<void> {
    if (this.#state !== "open") return Promise.resolve();
    const message = { body, tail };
    const before = this.#sending;
    const sending = (before ? before.then(() => this.#send(message)) : this.#send(message)).finally(() => {
      if (this.#sending === sending) this.#sending = undefined;
    });
    this.#sending = sending;
    return sending;
  }

  end(status: CallStatus): void {
    if (this.#state !== "open") return;
    this.#state = "ending";
    if (!this.#sending) return this.#wire.finish(status);
    // A message cut in two would look like a broken connection to the client; a client that does not read gets that.
    this.#lastMessage = setTimeout(() => this.#wire.abort(), LAST_MESSAGE_MS);
    this.#sending.then(() => {
      clearTimeout(this.#lastMessage);
      if (this.#state !== "closed") this.#wire.finish(status);
    });
  }

  /** One request came in. The next one is read when this one is done with. */
  async received(bytes: Uint8Array): Promise<void> {
    if (this.#state !== "open") return;
    try {
      const pending = this.#exchange?.request(bytes);
      if (pending) await pending;
    } catch (thrown) {
      this.#fail(thrown);
    }
    this.#read();
  }

  /** The client has no more requests. */
  requestsEnded(): void {
    this.#guarded(() => {
      if (this.#exchange?.requestsEnded) this.#exchange.requestsEnded();
      else this.end({ code: OK, details: "" });
    });
  }

  /** The stream is over, whoever ended it. */
  closed(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    clearTimeout(this.#lastMessage);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#guarded(() => exchange?.closed());
  }

  #send(message: OutMessage): Promise<void> {
    return this.#state === "closed" ? Promise.resolve() : this.#wire.send(message);
  }

  #read(): void {
    if (this.#state === "open") this.#wire.read();
  }

  /** Whether it went well. */
  #guarded(action: () => void): boolean {
    try {
      action();
      return true;
    } catch (thrown) {
      this.#fail(thrown);
      return false;
    }
  }

  #fail(thrown: unknown): void {
    if (isProgramError(thrown)) this.#onBug(thrown);
    this.end(statusOf(thrown));
  }
}
