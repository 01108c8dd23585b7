/**
 * The store that forgets: for tests, for embedding, and for roles that keep nothing.
 * @module
 */
import type { Clock } from "../../base/mod.ts";
import { type Backing, type Commit, CoreStore } from "../core/core_store.ts";
import type { EmbeddedStore } from "../embedded_store.ts";

/** An empty store in memory. Object uids count upwards, so that tests see the same ones each time. */
export function openMemoryStore(options: { readonly clock: Clock }): EmbeddedStore {
  let count = 0;
  const newUid = () => `00000000-0000-4000-8000-${(++count).toString(16).padStart(12, "0")}`;
  return new CoreStore({ clock: options.clock, backing: new MemoryBacking(), newUid });
}

class MemoryBacking implements Backing {
  readonly #kept = new Map<string, Uint8Array>();

  load(): ReturnType<Backing["load"]> {
    return { objects: [], events: [], resourceVersion: 0 };
  }

  commit({ kept }: Commit): void {
    for (const [name, data] of kept) {
      if (data) this.#kept.set(name, data);
      else this.#kept.delete(name);
    }
  }

  kept(name: string): Uint8Array | undefined {
    return this.#kept.get(name)?.slice();
  }

  keptNames(prefix: string): string[] {
    return [...this.#kept.keys()].filter((name) => name.startsWith(prefix)).sort();
  }

  close(): void {
    this.#kept.clear();
  }
}
