import { formatKey, type ObjectKey } from "../../base/mod.ts";
import type { LiveCache } from "./live_cache.ts";
import { keyOf, type WatchedObject } from "./object_source.ts";

/** The label by which what belongs to one object of ours is found. */
const INSTANCE = "app.kubernetes.io/instance";

/** What one look at an object sees of the others. It remembers what was looked at, for a change of that to bring the object back. */
export class View {
  readonly #cache: LiveCache;
  readonly #topics = new Set<string>();

  constructor(cache: LiveCache) {
    this.#cache = cache;
  }

  /** All that was looked at. */
  get topics(): Iterable<string> {
    return this.#topics;
  }

  /** One object, if it is there. */
  get(key: ObjectKey): WatchedObject | undefined {
    this.#topics.add(objectTopic(key));
    return this.#cache.get(key);
  }

  /** All of a kind in a namespace. */
  all(kind: string, namespace: string): readonly WatchedObject[] {
    this.#topics.add(placeTopic(kind, namespace));
    return this.#cache.all(kind, namespace);
  }

  /** Those of a kind that carry all these labels, among them that of an instance. */
  labelled(kind: string, namespace: string, labels: Readonly<Record<string, string>>): readonly WatchedObject[] {
    this.#topics.add(instanceTopic(kind, { namespace, instance: labels[INSTANCE] ?? "" }));
    return this.#cache.all(kind, namespace).filter(({ metadata }) =>
      Object.entries(labels).every(([name, value]) => metadata.labels?.[name] === value)
    );
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
