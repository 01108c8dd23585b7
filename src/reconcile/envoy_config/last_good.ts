import { ReverseIndex } from "../engine/reverse_index.ts";
import type { Shelf } from "../snapshot_sink.ts";

/**
 * Last good bytes of everything that was made from Secrets and EndpointSlices: in memory, and on a shelf if there is one. What
 * no node uses any more is forgotten, for it holds private keys.
 */
export class LastGood {
  readonly #shelf: Shelf | undefined;
  readonly #bytes = new Map<string, Uint8Array>();
  readonly #users = new ReverseIndex();

  constructor(shelf?: Shelf) {
    this.#shelf = shelf;
  }

  /** What is kept under these keys. */
  async load(keys: readonly string[]): Promise<Map<string, Uint8Array>> {
    const found = new Map<string, Uint8Array>();
    for (const key of keys) {
      const bytes = this.#bytes.get(key) ?? await this.#shelf?.kept(key);
      if (bytes) found.set(key, bytes);
    }
    return found;
  }

  /** Keeps what one node uses now, in place of what it used before. */
  async replace(nodeId: string, used: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const changed: [string, Uint8Array][] = [];
    for (const [key, bytes] of used) {
      if (!equal(this.#bytes.get(key), bytes)) changed.push([key, bytes]);
      this.#bytes.set(key, bytes);
    }
    const orphaned = this.#users.set(nodeId, [...used.keys()]);
    for (const key of orphaned) this.#bytes.delete(key);
    if (!this.#shelf) return;
    for (const [key, bytes] of changed) await this.#shelf.keep(key, bytes);
    for (const key of orphaned) await this.#shelf.forget(key);
  }
}

function equal(a: Uint8Array | undefined, b: Uint8Array): boolean {
  if (a === b) return true;
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
