interface Ticket {
  readonly bytes: number;
  state: "waiting" | "granted" | "done";
  readonly granted: () => void;
}

/**
 * Byte credit, first come, first served. A stream asks for one segment at a time, so that many streams take turns. Something
 * larger than the whole budget passes when nothing else is out.
 */
export class ByteBudget {
  readonly #total: number;
  #used = 0;
  #queue: Ticket[] = [];

  constructor(total: number) {
    this.#total = total;
  }

  /** Bytes handed out now. */
  get used(): number {
    return this.#used;
  }

  /** Calls `granted` at once or later. The returned function gives the bytes back or leaves the queue; once is enough. */
  acquire(bytes: number, granted: () => void): () => void {
    const ticket: Ticket = { bytes, state: "waiting", granted };
    this.#queue.push(ticket);
    this.#serve();
    return () => {
      if (ticket.state === "granted") this.#used -= ticket.bytes;
      else if (ticket.state === "waiting") this.#queue = this.#queue.filter((t) => t !== ticket);
      if (ticket.state !== "done") {
        ticket.state = "done";
        this.#serve();
      }
    };
  }

  #serve(): void {
    for (;;) {
      const next = this.#queue[0];
      if (!next || (this.#used > 0 && this.#used + next.bytes > this.#total)) return;
      this.#queue.shift();
      this.#used += next.bytes;
      next.state = "granted";
      next.granted();
    }
  }
}
