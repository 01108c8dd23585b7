/** What is selected by labels. */
interface Labelled {
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Equality of labels, all of which must match; where it looks, and `undefined` for everywhere. An empty one selects nothing. */
export interface EqualitySelector {
  readonly namespace: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
}

/** Objects by label: a selector looks at those that carry one of its labels, and not at all there are. */
export class LabelIndex<T extends Labelled> {
  readonly #known = new Map<string, T>();
  readonly #buckets = new Map<string, Map<string, T>>();

  get(id: string): T | undefined {
    return this.#known.get(id);
  }

  values(): Iterable<T> {
    return this.#known.values();
  }

  /** Puts one in, or takes it out; gives the one that was there. */
  replace(id: string, object: T | undefined): T | undefined {
    const before = this.#known.get(id);
    for (const bucket of before ? bucketsOf(before) : []) {
      const objects = this.#buckets.get(bucket);
      if (objects?.delete(id) && objects.size === 0) this.#buckets.delete(bucket);
    }
    if (object) this.#known.set(id, object);
    else this.#known.delete(id);
    for (const bucket of object ? bucketsOf(object) : []) {
      const objects = this.#buckets.get(bucket);
      if (objects) objects.set(id, object!); // there are buckets of an object only
      else this.#buckets.set(bucket, new Map([[id, object!]]));
    }
    return before;
  }

  select(selector: EqualitySelector): T[] {
    let smallest: ReadonlyMap<string, T> | undefined;
    for (const bucket of candidateBuckets(selector)) {
      const objects = this.#buckets.get(bucket);
      if (!objects) return [];
      if (!smallest || objects.size < smallest.size) smallest = objects;
    }
    return [...smallest?.values() ?? []].filter((object) => selects(selector, object));
  }
}

/** Selectors by label: an object looks at those that ask for one of its labels. */
export class SelectorIndex {
  readonly #selectors = new Map<string, readonly EqualitySelector[]>(); // by owner
  readonly #owners = new Map<string, Set<string>>(); // by the bucket of a selector's first label

  /** Replaces the selectors of an owner. */
  set(owner: string, selectors: readonly EqualitySelector[]): void {
    for (const selector of this.#selectors.get(owner) ?? []) {
      for (const bucket of candidateBuckets(selector).slice(0, 1)) {
        const owners = this.#owners.get(bucket);
        if (owners?.delete(owner) && owners.size === 0) this.#owners.delete(bucket);
      }
    }
    if (selectors.length > 0) this.#selectors.set(owner, selectors);
    else this.#selectors.delete(owner);
    for (const selector of selectors) {
      for (const bucket of candidateBuckets(selector).slice(0, 1)) {
        const owners = this.#owners.get(bucket);
        if (owners) owners.add(owner);
        else this.#owners.set(bucket, new Set([owner]));
      }
    }
  }

  /** Owners of a selector that selects the object. */
  ownersOf(object: Labelled): string[] {
    const owners = new Set<string>();
    for (const bucket of bucketsOf(object)) for (const owner of this.#owners.get(bucket) ?? []) owners.add(owner);
    return [...owners].filter((owner) => this.#selectors.get(owner)!.some((selector) => selects(selector, object)));
  }
}

/** Whether an object carries all labels that are asked for, where it is asked. */
export function selects({ namespace, labels }: EqualitySelector, object: Labelled): boolean {
  const wanted = Object.entries(labels);
  return wanted.length > 0 && (namespace === undefined || namespace === object.namespace) &&
    wanted.every(([label, value]) => Object.hasOwn(object.labels, label) && object.labels[label] === value);
}

function candidateBuckets({ namespace, labels }: EqualitySelector): string[] {
  return Object.entries(labels).sort().map(([label, value]) => bucket(namespace, label, value));
}

function bucketsOf({ namespace, labels }: Labelled): string[] {
  return Object.entries(labels).flatMap(([label, value]) => [
    bucket(namespace, label, value),
    bucket(undefined, label, value),
  ]);
}

function bucket(namespace: string | undefined, label: string, value: string): string {
  return JSON.stringify([namespace ?? null, label, value]);
}
