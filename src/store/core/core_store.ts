import { ChanceryError, type Clock, errorMessage, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { EmbeddedStore, Operation, RecordedEvent } from "../embedded_store.ts";
import type {
  ApplyObject,
  ApplyOptions,
  ListQuery,
  RemoveOptions,
  StatusOptions,
  StoredObject,
  StoreEvent,
  WatchEvent,
} from "../store.ts";
import { applyStated, replaceStatus, type Stamp } from "./apply.ts";
import { collectOrphans, removeObject } from "./collect.ts";
import { EventLog } from "./events.ts";
import { matchesLabels } from "./selector.ts";
import { readStated } from "./stated.ts";
import { State } from "./state.ts";
import { Watchers } from "./watchers.ts";

/** What one transaction changes for good. */
export interface Commit {
  /** The new content per key; `undefined` for what is gone. */
  readonly objects: readonly { readonly key: ObjectKey; readonly object: StoredObject | undefined }[];
  readonly kept: ReadonlyMap<string, Uint8Array | undefined>;
  readonly events: ReadonlyMap<string, RecordedEvent | undefined>;
  /** The last resource version given away. */
  readonly resourceVersion: number;
}

/** Where a {@linkcode CoreStore} puts what must outlive it. All calls are synchronous: nothing happens in between. */
export interface Backing {
  /** What was there when the store opened. */
  load(): { objects: Iterable<StoredObject>; events: Iterable<[string, RecordedEvent]>; resourceVersion: number };
  /** Makes a transaction durable or throws and changes nothing. */
  commit(commit: Commit): void;
  kept(name: string): Uint8Array | undefined;
  keptNames(prefix: string): string[];
  close(): void;
}

/** Options of {@linkcode CoreStore}. */
export interface CoreStoreOptions {
  readonly clock: Clock;
  readonly backing: Backing;
  readonly newUid: () => string;
}

/**
 * The store as a value in memory, written through to a {@linkcode Backing}. A write is made durable before anybody sees
 * it; when that fails it is undone and thrown, while reads and watches go on.
 */
export class CoreStore implements EmbeddedStore {
  readonly #state = new State();
  readonly #events = new EventLog();
  readonly #watchers = new Watchers();
  readonly #options: CoreStoreOptions;
  #resourceVersion: number;
  #trouble: string | undefined;
  #closed = false;

  constructor(options: CoreStoreOptions) {
    this.#options = options;
    const { objects, events, resourceVersion } = options.backing.load();
    for (const object of objects) this.#state.load(object);
    for (const [id, event] of events) this.#events.load(id, event);
    this.#resourceVersion = resourceVersion;
  }

  get trouble(): string | undefined {
    return this.#trouble;
  }

  // Methods are async although nothing waits, so that a failure is a rejection for every caller.
  // deno-lint-ignore require-await
  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    this.#checkOpen();
    return this.#state.get(key);
  }

  // deno-lint-ignore require-await
  async list(kind: string, query: ListQuery = {}): Promise<{ items: StoredObject[]; resourceVersion: string }> {
    this.#checkOpen();
    const { namespace, labels } = query;
    const items = this.#state.ofKind(kind).filter(({ metadata }) =>
      (namespace === undefined || metadata.namespace === namespace) &&
      (labels === undefined || matchesLabels(metadata.labels, labels))
    );
    return { items, resourceVersion: String(this.#resourceVersion) };
  }

  async watch(
    kinds: readonly string[],
    onEvent: (event: WatchEvent) => void,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    this.#checkOpen();
    const existing = [...new Set(kinds)].flatMap((kind) => this.#state.ofKind(kind));
    await this.#watchers.watch(kinds, existing, { onEvent, signal });
  }

  // deno-lint-ignore require-await
  async apply(object: ApplyObject, options: ApplyOptions): Promise<StoredObject> {
    return this.#transact((steps) => steps.apply(object, options));
  }

  // deno-lint-ignore require-await
  async updateStatus(key: ObjectKey, status: unknown, options: StatusOptions = {}): Promise<StoredObject> {
    return this.#transact((steps) => steps.status(key, status, options));
  }

  // deno-lint-ignore require-await
  async remove(key: ObjectKey, options: RemoveOptions = {}): Promise<boolean> {
    return this.#transact((steps) => steps.remove(key, options));
  }

  // deno-lint-ignore require-await
  async transaction(operations: readonly Operation[]): Promise<void> {
    this.#transact((steps) => {
      for (const operation of operations) {
        if ("apply" in operation) steps.apply(operation.apply, operation.options);
        else if ("status" in operation) steps.status(operation.status, operation.value, operation.options ?? {});
        else if ("remove" in operation) steps.remove(operation.remove, operation.options ?? {});
        else if ("keep" in operation) steps.kept.set(operation.keep, operation.data.slice());
        else steps.kept.set(operation.forget, undefined);
      }
    });
  }

  async keep(name: string, data: Uint8Array): Promise<void> {
    await this.transaction([{ keep: name, data }]);
  }

  async forget(name: string): Promise<void> {
    await this.transaction([{ forget: name }]);
  }

  // deno-lint-ignore require-await
  async kept(name: string): Promise<Uint8Array | undefined> {
    this.#checkOpen();
    return this.#options.backing.kept(name);
  }

  // deno-lint-ignore require-await
  async keptNames(prefix: string): Promise<string[]> {
    this.#checkOpen();
    return this.#options.backing.keptNames(prefix);
  }

  /** In memory at once; on disk with the next transaction or on close, for events are no reason to wait for a disk. */
  // deno-lint-ignore require-await
  async record(event: StoreEvent): Promise<void> {
    if (!this.#closed) this.#events.record(event, this.#options.clock.now());
  }

  // deno-lint-ignore require-await
  async events(about?: ObjectKey): Promise<readonly RecordedEvent[]> {
    return this.#events.list(about);
  }

  // deno-lint-ignore require-await
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#watchers.close();
    try {
      if (this.#events.pending().size > 0) this.#transact(() => undefined);
    } catch {
      // events are best effort, and `trouble` tells of the disk
    }
    this.#closed = true;
    this.#options.backing.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #transact<T>(run: (steps: Steps) => T): T {
    this.#checkOpen();
    const before = this.#resourceVersion;
    const steps = new Steps(this.#state, {
      nowMs: this.#options.clock.now(),
      newUid: this.#options.newUid,
      nextResourceVersion: () => String(++this.#resourceVersion),
    });
    this.#state.begin();
    let result: T;
    try {
      result = run(steps);
      steps.collect();
      this.#commit(steps.kept);
    } catch (thrown) {
      this.#state.rollback();
      this.#resourceVersion = before;
      throw thrown;
    }
    const changes = this.#state.commit();
    this.#watchers.publish(changes);
    return result;
  }

  #commit(kept: Commit["kept"]): void {
    const objects = this.#state.touched().map((key) => ({ key, object: this.#state.get(key) }));
    const events = this.#events.pending();
    if (objects.length === 0 && kept.size === 0 && events.size === 0) return;
    try {
      this.#options.backing.commit({ objects, kept, events, resourceVersion: this.#resourceVersion });
    } catch (thrown) {
      this.#trouble = errorMessage(thrown);
      throw thrown;
    }
    this.#trouble = undefined;
    this.#events.written();
  }

  #checkOpen(): void {
    if (this.#closed) {
      throw new ChanceryError("unavailable", "Cannot use the store: it is closed", { retryable: false });
    }
  }
}

/** The steps of one transaction. */
class Steps {
  readonly kept = new Map<string, Uint8Array | undefined>();
  readonly #state: State;
  readonly #stamp: Stamp;
  readonly #suspects: StoredObject[] = [];

  constructor(state: State, stamp: Stamp) {
    this.#state = state;
    this.#stamp = stamp;
  }

  apply(object: ApplyObject, options: ApplyOptions): StoredObject {
    const stated = readStated(object, options.subresource);
    const existing = this.#state.get(stated.key);
    if (!existing && options.subresource === "status") throw notFound(stated.key, "apply status of");
    const written = applyStated(existing, stated, { ...options, stamp: this.#stamp });
    if (written !== existing) this.#state.put(written);
    this.#suspects.push(written);
    return written;
  }

  status(key: ObjectKey, status: unknown, options: StatusOptions): StoredObject {
    const existing = this.#state.get(key);
    if (!existing) throw notFound(key, "update status of");
    const written = replaceStatus(existing, status, { ...options, stamp: this.#stamp });
    if (written !== existing) this.#state.put(written);
    return written;
  }

  remove(key: ObjectKey, options: RemoveOptions): boolean {
    const object = this.#state.get(key);
    if (!object) return false;
    const { uid, resourceVersion } = options;
    const same = (uid ?? object.metadata.uid) === object.metadata.uid &&
      (resourceVersion ?? object.metadata.resourceVersion) === object.metadata.resourceVersion;
    if (!same) {
      throw new ChanceryError("conflict", `Cannot remove ${formatKey(key)}: it was changed meanwhile; read it again`);
    }
    removeObject(this.#state, object, this.#stamp.nextResourceVersion());
    this.#suspects.push(...this.#state.dependentsOf(object.metadata.uid));
    return true;
  }

  collect(): void {
    collectOrphans(this.#state, this.#suspects, this.#stamp.nextResourceVersion);
  }
}

function notFound(key: ObjectKey, doing: string): ChanceryError {
  return new ChanceryError("not-found", `Cannot ${doing} ${formatKey(key)}: there is no such object`);
}
