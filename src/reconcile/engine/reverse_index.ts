/** Which owners name a key: answers an event with those it concerns, without looking at all (W34). */
export class ReverseIndex {
  readonly #owners = new Map<string, Set<string>>();
  readonly #keys = new Map<string, readonly string[]>();

  /** The owners of a key. */
  ownersOf(key: string): Iterable<string> {
    return this.#owners.get(key) ?? [];
  }

  /** The keys of an owner. */
  keysOf(owner: string): readonly string[] {
    return this.#keys.get(owner) ?? [];
  }

  /** Replaces all keys of an owner; no keys forget it. Returns the keys that have no owner any more. */
  set(owner: string, keys: readonly string[]): string[] {
    const wanted = new Set(keys);
    const orphaned: string[] = [];
    for (const key of this.keysOf(owner)) {
      if (wanted.has(key)) continue;
      const owners = this.#owners.get(key);
      owners?.delete(owner);
      if (owners?.size !== 0) continue;
      this.#owners.delete(key);
      orphaned.push(key);
    }
    for (const key of wanted) {
      const owners = this.#owners.get(key);
      if (owners) owners.add(owner);
      else this.#owners.set(key, new Set([owner]));
    }
    if (wanted.size > 0) this.#keys.set(owner, [...wanted]);
    else this.#keys.delete(owner);
    return orphaned;
  }
}
