import type { ErrorCode, ObjectKey } from "../../src/base/mod.ts";
import type { ApplyObject, Store, StoredObject, WatchEvent } from "../../src/store/mod.ts";

/** Of the objects that the suite writes. */
export const API_VERSION = "conformance.chancery.dev/v1";
/** Of the objects that the suite writes. */
export const KIND = "Sample";
const DEADLINE_MS = 10_000;

/** Objects of one test: their names share a prefix that no other test uses, for the store may be shared. */
export class Scene {
  readonly store: Store;
  readonly prefix = `t${crypto.randomUUID().slice(0, 8)}`;

  constructor(store: Store) {
    this.store = store;
  }

  key(name: string, kind = KIND): ObjectKey {
    return { kind, namespace: "default", name: `${this.prefix}-${name}` };
  }

  object(name: string, spec: unknown, metadata: Partial<ApplyObject["metadata"]> = {}): ApplyObject {
    const labels = { scene: this.prefix, ...metadata.labels };
    const identity = { name: `${this.prefix}-${name}`, namespace: "default" };
    return { apiVersion: API_VERSION, kind: KIND, metadata: { ...metadata, ...identity, labels }, spec };
  }

  apply(name: string, spec: unknown, metadata: Partial<ApplyObject["metadata"]> = {}): Promise<StoredObject> {
    return this.store.apply(this.object(name, spec, metadata), { fieldManager: "one" });
  }

  async get(name: string): Promise<StoredObject> {
    const object = await this.store.get(this.key(name));
    if (!object) throw new Error(`there is no "${name}"`);
    return object;
  }

  /** Starts a watch that records the events of this test's objects. */
  async watch(signal: AbortSignal): Promise<{ events: WatchEvent[]; until: (count: number) => Promise<WatchEvent[]> }> {
    const events: WatchEvent[] = [];
    let wake = () => {};
    await this.store.watch([KIND], (event) => {
      if (!event.object.metadata.name.startsWith(this.prefix)) return;
      events.push(event);
      wake();
    }, { signal });
    const until = async (count: number) => {
      while (events.length < count) {
        await withDeadline(
          new Promise<void>((resolve) => wake = resolve),
          `${count} events, there are ${events.length}`,
        );
      }
      return events;
    };
    return { events, until };
  }
}

async function withDeadline<T>(promise: Promise<T>, what: string): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), DEADLINE_MS);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** What a promise was rejected with. */
export async function failure(promise: Promise<unknown>): Promise<{ code?: ErrorCode; message: string }> {
  return await promise.then(() => ({ message: "nothing was thrown" }), (thrown) => thrown);
}

/** An owner reference to the object. */
export function reference({ apiVersion, kind, metadata: { name, uid } }: StoredObject) {
  return { apiVersion, kind, name, uid };
}

/** The labels of a selector, empty when it has none. */
export function matchLabels(selector: { matchLabels?: object }): object {
  return selector.matchLabels ?? {};
}

/** `added a 1`: type, name and spec.size of an event. */
export function told(scene: Scene): (event: WatchEvent) => string {
  return ({ type, object }) => {
    const { size } = (object.spec ?? {}) as { size?: number }; // what the tests above put there
    return `${type} ${object.metadata.name.slice(scene.prefix.length + 1)} ${size}`;
  };
}
