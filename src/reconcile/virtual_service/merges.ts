import { canonicalJson } from "../../base/mod.ts";
import { type Contribution, type Merged, mergeUnits } from "./merge.ts";

/** Merges for many pods: those that the same VirtualServices select share one object, and so does all that is made of it. */
export class Merges {
  readonly #known = new Map<string, WeakRef<Merged>>(); // by whose they are
  readonly #gone = new FinalizationRegistry<string>((key) => {
    if (this.#known.get(key)?.deref() === undefined) this.#known.delete(key);
  });
  #now = new Map<string, Merged>();

  /** What was contributed may have changed since the last time. */
  begin(): void {
    this.#now = new Map();
  }

  /** What these come to, in order of age; the object from before where that is the same. */
  of(contributions: readonly Contribution[]): Merged {
    const key = contributions.map(({ owner }) => owner).join("\n");
    let merged = this.#now.get(key);
    if (!merged) this.#now.set(key, merged = this.#merge(key, contributions));
    return merged;
  }

  #merge(key: string, contributions: readonly Contribution[]): Merged {
    const merged = mergeUnits(contributions);
    const before = this.#known.get(key)?.deref();
    if (before && sameMerged(before, merged)) return before;
    this.#known.set(key, new WeakRef(merged));
    this.#gone.register(merged, key);
    return merged;
  }
}

/** Whether two say the same. */
export function sameMerged(a: Merged, b: Merged): boolean {
  if (a === b) return true;
  return a.kept.length === b.kept.length &&
    a.kept.every(({ owner, unit }, index) => owner === b.kept[index]?.owner && unit === b.kept[index]?.unit) &&
    canonicalJson(a.collisions) === canonicalJson(b.collisions);
}
