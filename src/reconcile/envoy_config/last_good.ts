import { ReverseIndex } from "../engine/reverse_index.ts";
import type { Shelf } from "../snapshot_sink.ts";

const PREFIX = "last-good/";

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
      const bytes = this.#bytes.get(key) ?? await this.#shelf?.kept(PREFIX + key);
      if (!bytes) continue;
      found.set(key, bytes);
      this.#bytes.set(key, bytes);
    }
    return found;
  }

  /** Keeps what one node uses now, in place of what it used before. */
  async replace(nodeId: string, used: ReadonlyMap<string, Uint8Array>): Promise<void> {
    const changed = [...used].filter(([key, bytes]) => !equal(this.#bytes.get(key), bytes));
    for (const [key, bytes] of used) this.#bytes.set(key, bytes);
    const orphaned = this.#users.set(nodeId, [...used.keys()]);
    for (const key of orphaned) this.#bytes.delete(key);
    if (!this.#shelf) return;
    for (const [key, bytes] of changed) await this.#shelf.keep(PREFIX + key, bytes);
    for (const key of orphaned) await this.#shelf.forget(PREFIX + key);
  }

  /** Forgets what nobody uses, left by configs that went away while nobody looked. */
  async sweep(): Promise<void> {
    for (const name of await this.#shelf?.keptNames(PREFIX) ?? []) {
      const key = name.slice(PREFIX.length);
      if ([...this.#users.ownersOf(key)].length > 0) continue;
      this.#bytes.delete(key);
      await this.#shelf?.forget(name);
    }
  }
}

function equal(a: Uint8Array | undefined, b: Uint8Array): boolean {
  if (a === b) return true;
  return a !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);
}
