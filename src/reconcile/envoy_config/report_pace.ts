/** So many reports a replica writes in a second, whatever happens. */
const PER_SECOND = 20;

/** Keeps the writes of reports within their bounds. Times in milliseconds. */
export class ReportPace {
  readonly #last: number[] = [];
  readonly #writtenAt = new Map<string, number>();

  /** When a node's report was written last. */
  writtenAt(nodeId: string): number | undefined {
    return this.#writtenAt.get(nodeId);
  }

  /** Takes a place for a write: 0, or how long to wait for one. */
  take(nodeId: string, now: number): number {
    while (this.#last.length > 0 && this.#last[0]! <= now - 1000) this.#last.shift();
    if (this.#last.length >= PER_SECOND) return this.#last[0]! + 1000 - now;
    this.#last.push(now);
    this.#writtenAt.set(nodeId, now);
    return 0;
  }

  forget(nodeId: string): void {
    this.#writtenAt.delete(nodeId);
  }
}
