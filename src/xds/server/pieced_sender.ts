import type { ServerHttp2Stream } from "node:http2";
import type { ByteBudget } from "./byte_budget.ts";
import type { SendLimits } from "./limits.ts";
import { framedBytes, type OutMessage, piecesOf } from "./pieces.ts";
import { drainOf, type SessionDrain } from "./session_drain.ts";

/**
 * Writes messages to one HTTP/2 stream so that little memory is used however many streams there are. Each write is copied into
 * a native buffer of its stream, so a message goes out in pieces; and pieces wait for credit from a budget that all streams
 * share, which they get back when the peer has read them.
 */
export class PiecedSender {
  readonly #stream: ServerHttp2Stream;
  readonly #drain: SessionDrain | undefined;
  readonly #budget: ByteBudget;
  readonly #limits: SendLimits;
  /** Written since the peer was last known to have read everything. */
  #unread = 0;
  #closed = false;
  #wake: (() => void) | undefined;

  constructor(stream: ServerHttp2Stream, shared: { budget: ByteBudget; limits: SendLimits }) {
    this.#stream = stream;
    this.#drain = stream.session ? drainOf(stream.session) : undefined;
    this.#budget = shared.budget;
    this.#limits = shared.limits;
  }

  /** The stream is over: whatever waits goes on and finds nothing more to do. */
  close(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** Resolves when the message has left or the stream is over. One at a time. */
  async send(message: OutMessage): Promise<void> {
    const pieces = piecesOf(message, this.#limits.piece);
    const [only] = pieces;
    if (only && pieces.length === 1) return await this.#sendSmall(only);
    let left = framedBytes(message);
    for (let at = 0; at < pieces.length && !this.#closed;) {
      const bytes = Math.min(left, this.#limits.segment);
      at = await this.#sendSegment(pieces, at, bytes);
      left -= bytes;
    }
  }

  /** A message of one piece needs no credit: each stream has at most one on its way, and its write waits for the peer's window. */
  async #sendSmall(piece: Uint8Array): Promise<void> {
    await this.#wait((written) => this.#stream.write(piece, () => written()));
    this.#unread += piece.length;
    await this.#whenRead();
  }

  /** Once more than a little is unread, waits until the peer has read it; small messages do without a PING each. */
  async #whenRead(): Promise<void> {
    if (this.#unread <= 2 * this.#limits.piece) return;
    await this.#wait((read) => this.#drain ? this.#drain.whenRead(read) : read());
    this.#unread = 0;
  }

  /** Sends pieces from `at` until a segment is full; gives the index of the next one. */
  async #sendSegment(pieces: readonly Uint8Array[], at: number, bytes: number): Promise<number> {
    let release: (() => void) | undefined;
    await this.#wait((granted) => {
      release = this.#budget.acquire(bytes, granted);
    });
    // A peer that does not read keeps its own segment waiting, not everybody's credit.
    const stall = setTimeout(() => release?.(), this.#limits.stallMs);
    try {
      let sent = 0;
      while (at < pieces.length && sent < this.#limits.segment && !this.#closed) {
        sent += await this.#writeNext(pieces, at);
        at += isLastBut(pieces, at) ? 2 : 1;
      }
      this.#unread += sent;
      await this.#whenRead();
    } finally {
      clearTimeout(stall);
      release?.();
    }
    return at;
  }

  /** Writes one piece; the short last one goes along with the one before it. */
  async #writeNext(pieces: readonly Uint8Array[], at: number): Promise<number> {
    const piece = pieces[at];
    if (!piece) return 0;
    const last = isLastBut(pieces, at) ? pieces[at + 1] : undefined;
    await this.#wait((written) => {
      this.#stream.write(piece, last ? undefined : () => written());
      if (last) this.#stream.write(last, () => written());
    });
    return piece.length + (last?.length ?? 0);
  }

  /** Waits for one thing, or for the end of the stream. */
  #wait(start: (done: () => void) => void): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
      start(resolve);
    });
  }
}

function isLastBut(pieces: readonly Uint8Array[], at: number): boolean {
  return at === pieces.length - 2;
}
