import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { LiveCache } from "./live_cache.ts";
import { keyOf, type WatchedObject } from "./object_source.ts";

/** The label by which what belongs to one object of ours is found. */
const INSTANCE = "app.kubernetes.io/instance";

/**
 * What one look at an object sees of the others. What it was asked for by name or label it shows unchanged from then on, so that what is
 * decided by it is not carried out upon something newer (I11).
 */
export class View {
  readonly #cache: LiveCache;
  readonly #topics: Set<string>;
  readonly #seen = new Map<string, WatchedObject | undefined>();

  constructor(cache: LiveCache, topics = new Set<string>()) {
    this.#cache = cache;
    this.#topics = topics;
  }

  /** All that was looked at, for a change of that to bring the object back. */
  get topics(): ReadonlySet<string> {
    return this.#topics;
  }

  /** Another view of what is there now, for the same look. */
  anew(): View {
    return new View(this.#cache, this.#topics);
  }

  /** One object, if it is there. */
  get(key: ObjectKey): WatchedObject | undefined {
    this.#topics.add(objectTopic(key));
    const id = formatKey(key);
    if (!this.#seen.has(id)) this.#seen.set(id, this.#cache.get(key));
    return this.#seen.get(id);
  }

  /** What was shown of an object; nothing if it was not asked for. */
  seen(key: ObjectKey): WatchedObject | undefined {
    return this.#seen.get(formatKey(key));
  }

  /** All of a kind in a namespace. */
  all(kind: string, namespace: string): readonly WatchedObject[] {
    this.#topics.add(placeTopic(kind, namespace));
    return this.#cache.all(kind, namespace);
  }

  /** Those of a kind that carry all these labels, among them that of an instance. */
  labelled(kind: string, namespace: string, labels: Readonly<Record<string, string>>): readonly WatchedObject[] {
    this.#topics.add(instanceTopic(kind, { namespace, instance: labels[INSTANCE] ?? "" }));
    const found = this.#cache.all(kind, namespace).filter(({ metadata }) =>
      Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)
    );
    for (const object of found) {
      const id = formatKey(keyOf(object));
      if (!this.#seen.has(id)) this.#seen.set(id, object);
    }
    return found.map((object) => this.#seen.get(formatKey(keyOf(object))) ?? object);
  }

  /** Has a change of something bring the object back that is looked at elsewhere. */
  follow(key: ObjectKey): void {
    this.#topics.add(objectTopic(key));
  }
}

/** What a change of an object is about. */
export function topicsOf(object: WatchedObject): string[] {
  const key = keyOf(object);
  const instance = object.metadata.labels?.[INSTANCE];
  return [
    objectTopic(key),
    placeTopic(key.kind, key.namespace),
    ...(instance === undefined ? [] : [instanceTopic(key.kind, { namespace: key.namespace, instance })]),
  ];
}

function objectTopic(key: ObjectKey): string {
  return `object/${formatKey(key)}`;
}

function placeTopic(kind: string, namespace: string): string {
  return `place/${kind}/${namespace}`;
}

function instanceTopic(kind: string, { namespace, instance }: { namespace: string; instance: string }): string {
  return `instance/${kind}/${namespace}/${instance}`;
}
