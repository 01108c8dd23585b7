import { ChanceryError, type ObjectKey } from "../../../base/mod.ts";
import type { Store, StoredObject, WatchEvent } from "../../../store/mod.ts";
import { CONFIG } from "./scene.ts";

/** A write that a replica made. */
export interface Write {
  readonly replica: string;
  readonly kind: "apply" | "status" | "remove";
  /** Kind and name of the object. */
  readonly object: string;
  /** Who applied. */
  readonly manager?: string;
  /** Whether the replica believed to lead when it began. */
  readonly leading: boolean;
  /** Whether the replica knew the object as it was at the moment of the write. */
  readonly informed: boolean;
}

/** What it changed. */
export interface Change {
  /** The object as it was. */
  readonly before?: StoredObject;
  /** The EnvoyConfig of the scene as it was. */
  readonly config?: StoredObject;
  /** The new status. */
  readonly status?: unknown;
}

/** Options of {@linkcode ReplicaView}. */
export interface ReplicaViewOptions {
  readonly store: Store;
  /** An object as it is at this moment. */
  readonly current: (key: ObjectKey) => StoredObject | undefined;
  readonly replica: string;
  readonly leading: () => boolean;
  /** The end of this life of the replica. */
  readonly life: AbortSignal;
  /** Told of each write that took place. */
  readonly onWrite: (write: Write, change: Change) => void;
}

/**
 * The store as one replica sees it: its watch may lag behind or skip what is in between, and its writes may take long enough
 * for somebody else to become leader meanwhile. After its end nothing it does has an effect.
 */
export class ReplicaView implements Store {
  readonly #options: ReplicaViewOptions;
  #onEvent: ((event: WatchEvent) => void) | undefined;
  #late: WatchEvent[] | undefined;
  #stallIn = Infinity;
  #stalled: (() => void) | undefined;
  readonly #known = new Map<string, string>(); // version by object, as the watch told it or our own write gave it

  constructor(options: ReplicaViewOptions) {
    this.#options = options;
  }

  /** From now on the watch tells nothing. */
  hold(): void {
    this.#late ??= [];
  }

  /** Tells what was held back: all of it; or, as after a new list, only what is there now. */
  release({ relist = false } = {}): void {
    const late = this.#late ?? [];
    this.#late = undefined;
    const last = new Map(late.map((event) => [`${event.object.kind}/${event.object.metadata.name}`, event]));
    for (const event of relist ? last.values() : late) this.#tell(event);
  }

  /** One of the next writes is on its way for long, until {@linkcode thaw}. */
  stall(after: number): void {
    this.#stallIn = after;
  }

  /** Whether its watch tells nothing. */
  get held(): boolean {
    return this.#late !== undefined;
  }

  get stalled(): boolean {
    return this.#stalled !== undefined;
  }

  thaw(): void {
    this.#stallIn = Infinity;
    this.#stalled?.();
    this.#stalled = undefined;
  }

  get: Store["get"] = (...args) => this.#options.store.get(...args);
  list: Store["list"] = (...args) => this.#options.store.list(...args);
  record: Store["record"] = (...args) => this.#options.store.record(...args);

  watch: Store["watch"] = (kinds, onEvent, options) => {
    this.#onEvent = onEvent;
    return this.#options.store.watch(kinds, (event) => {
      if (this.#late) this.#late.push(event);
      else this.#tell(event);
    }, options);
  };

  #tell(event: WatchEvent): void {
    this.#learn(event.object);
    this.#onEvent?.(event);
  }

  #learn({ kind, metadata: { name, resourceVersion } }: StoredObject): void {
    this.#known.set(`${kind}/${name}`, resourceVersion);
  }

  apply: Store["apply"] = async (object, options) => {
    const { kind, metadata: { namespace, name } } = object;
    const key = { kind, namespace: namespace ?? "default", name };
    const write = { kind: "apply", key, manager: options.fieldManager } as const;
    const written = await this.#write(write, (store) => store.apply(object, options));
    if (!options.subresource) this.#learn(written);
    return written;
  };

  updateStatus: Store["updateStatus"] = async (key, status, options) => {
    const written = await this.#write(
      { kind: "status", key, status },
      (store) => store.updateStatus(key, status, options),
    );
    this.#learn(written);
    return written;
  };

  remove: Store["remove"] = (key, options) =>
    this.#write({ kind: "remove", key }, (store) => store.remove(key, options));

  async #write<T>(
    { kind, key, manager, status }: {
      kind: Write["kind"];
      key: ObjectKey;
      manager?: string;
      status?: unknown;
    },
    run: (store: Store) => Promise<T>,
  ): Promise<T> {
    const { store, current, replica, leading, life, onWrite } = this.#options;
    const object = `${key.kind}/${key.name}`;
    const began = { replica, kind, object, leading: leading(), ...(manager ? { manager } : {}) };
    if (this.#stallIn-- <= 0) {
      this.#stallIn = Infinity;
      await new Promise<void>((resolve) => this.#stalled = resolve);
    }
    if (life.aborted) throw new ChanceryError("internal", "the process has ended");
    const [before, config] = [current(key), current(CONFIG)]; // nothing comes in between
    const informed = this.#known.get(object) === before?.metadata.resourceVersion;
    const result = await run(store);
    onWrite({ ...began, informed }, {
      ...(before ? { before } : {}),
      ...(config ? { config } : {}),
      ...(status === undefined ? {} : { status }),
    });
    return result;
  }
}
