/** So many writes of one sort a replica makes in a second, whatever happens. */
const PER_SECOND = 20;

/** Of many that have to wait some come back later than others, but none more than so many seconds. */
const MAX_SPREAD = 4;

/** Keeps the writes of one sort within their bounds. Times in milliseconds, of a clock that never goes back. */
export class WritePace {
  readonly #perNodeMs: number;
  readonly #last: number[] = [];
  readonly #writtenAt = new Map<string, number>();
  #waiting = 0; // at most: who was sent away and never came back counts until others were let in

  /** `perNodeMs`: between two writes for one node at least. */
  constructor({ perNodeMs = 0 } = {}) {
    this.#perNodeMs = perNodeMs;
  }

  /** When it was written last for a node. */
  writtenAt(nodeId: string): number | undefined {
    return this.#writtenAt.get(nodeId);
  }

  /** Takes a place for a write: 0, or how long to wait for one. */
  take(nodeId: string, now: number): number {
    const nodeWaits = (this.#writtenAt.get(nodeId) ?? -Infinity) + this.#perNodeMs - now;
    if (nodeWaits > 0) return nodeWaits;
    while (this.#last.length > 0 && this.#last[0]! <= now - 1000) this.#last.shift();
    if (this.#last.length >= PER_SECOND) {
      const turn = Math.min(Math.floor(this.#waiting++ / PER_SECOND), MAX_SPREAD);
      return this.#last[0]! + 1000 * (1 + turn) - now;
    }
    this.#waiting = Math.max(0, this.#waiting - 1);
    this.#last.push(now);
    this.#writtenAt.set(nodeId, now);
    return 0;
  }

  forget(nodeId: string): void {
    this.#writtenAt.delete(nodeId);
  }
}
