import { ChanceryError, type Clock, formatKey, type ObjectKey } from "../../base/mod.ts";
import type { Logger, Metrics } from "../../telemetry/mod.ts";
import type { JsonRecord } from "../core/json.ts";
import { matchesLabels } from "../core/selector.ts";
import { Watchers } from "../core/watchers.ts";
import type {
  ApplyObject,
  ApplyOptions,
  ListQuery,
  RemoveOptions,
  StatusOptions,
  Store,
  StoredObject,
  StoreEvent,
  WatchEvent,
} from "../store.ts";
import type { KubeConnection } from "./connection/connection.ts";
import { EventRecorder } from "./events/event_recorder.ts";
import { labelQuery } from "./label_query.ts";
import { Reflector } from "./reflector/reflector.ts";
import type { WatchState } from "./reflector/watch_phase.ts";
import { slimSecret, whole } from "./reflector/slim.ts";
import { collectionPath, type Resource, Resources } from "./resources.ts";
import { SecretContents } from "./secrets/secret_contents.ts";
import { type PatchedValue, Writes } from "./writes.ts";

/** Options of {@linkcode openKubernetesStore}. */
export interface KubernetesStoreOptions {
  readonly connection: KubeConnection;
  /** Namespaces to watch; all when empty. */
  readonly namespaces: readonly string[];
  readonly clock: Clock;
  /** A number in [0, 1), for jitter. */
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Kinds besides those that are known anyway. */
  readonly resources?: readonly Resource[];
  /** Who Events are said to come from; default `chancery`. */
  readonly component?: string;
  /** Name of this replica in Events, e.g. of its pod; default as `component`. */
  readonly instance?: string;
  /** Longest silence of a watch, in milliseconds; default 90,000. */
  readonly idleMs?: number;
  /**
   * How long a write may be on its way, in milliseconds; default 10,000. Where only a leader writes, at most the time between
   * its giving up and another's taking over.
   */
  readonly writeTimeoutMs?: number;
  /** Field managers of programs before us, which wrote by update what we apply; default those of MARIN3R. */
  readonly formerManagers?: readonly string[];
}

/** The Kubernetes API server as a store. */
export interface KubernetesStore extends Store, AsyncDisposable {
  /** Takes a finalizer off; nothing happens when object or finalizer are gone. */
  removeFinalizer(key: ObjectKey, finalizer: string): Promise<void>;
  /**
   * Sets single values of an object of somebody else, who may go on to apply the rest of it, and remove the entry of a list that such a
   * value is in. Refused with `conflict` when the version is no longer the stored one.
   */
  patch(
    key: ObjectKey,
    values: readonly PatchedValue[],
    options: { fieldManager: string; resourceVersion: string },
  ): Promise<StoredObject>;
  /**
   * From now on `owner` needs the content of just these Secrets; other keys are ignored. Resolves once it was told to the
   * watchers, at once when it was told before or the Secret does not exist; fails when it cannot be read now, and then it is
   * told once it can be. Secrets nobody needs are told with their metadata alone.
   */
  need(owner: string, keys: readonly ObjectKey[]): Promise<void>;
  /** State of each watch, for readiness, status and metrics. */
  watches(): readonly WatchState[];
  /** Resolves once every watch has proven, by an answer that the API server gave after this call, that nothing is missing. */
  caughtUp(signal: AbortSignal): Promise<void>;
}

/** Of MARIN3R's operator and discovery service, whose binary was called so. */
const FORMER_MANAGERS = ["manager", "marin3r"];
const PAGE = 500;
const WRITE_MS = 10_000;

/** A store over a connection, which stays the caller's to close. */
export function openKubernetesStore(options: KubernetesStoreOptions): KubernetesStore {
  return new ServerStore(options);
}

interface Feed {
  readonly reflectors: readonly Reflector[];
  users: number;
}

class ServerStore implements KubernetesStore {
  readonly #options: KubernetesStoreOptions;
  readonly #resources: Resources;
  readonly #writes: Writes;
  readonly #secrets: SecretContents;
  readonly #events: EventRecorder;
  readonly #watchers = new Watchers();
  readonly #feeds = new Map<string, Feed>(); // by kind
  readonly #closed = new AbortController();

  constructor(options: KubernetesStoreOptions) {
    this.#options = options;
    const { connection, clock, random, formerManagers = FORMER_MANAGERS, writeTimeoutMs = WRITE_MS } = options;
    this.#resources = new Resources(options.resources);
    this.#writes = new Writes({ connection, resources: this.#resources, formerManagers, writeTimeoutMs });
    const { component = "chancery", instance = component, log } = options;
    this.#events = new EventRecorder({
      connection,
      clock,
      log,
      component,
      instance,
      find: async (about) => this.#known(about) ?? await this.#writes.get(about, this.#closed.signal),
      signal: this.#closed.signal,
    });
    this.#secrets = new SecretContents({
      read: async (key) => {
        const secret = await this.#writes.get(key, this.#closed.signal);
        return secret && slimSecret(secret);
      },
      onEvent: (event) => this.#publish(event),
      clock,
      random,
    });
  }

  /** Always asks the API server, so that what was written before is read. */
  async get(key: ObjectKey): Promise<StoredObject | undefined> {
    this.#checkOpen();
    return await this.#writes.get(key);
  }

  /** Always asks the API server, in pages of one and the same version. */
  async list(kind: string, query: ListQuery = {}): Promise<{ items: StoredObject[]; resourceVersion: string }> {
    this.#checkOpen();
    const resource = this.#resources.of(kind);
    const { namespace, labels } = query;
    if (labels) matchesLabels({}, labels); // refuses what is no selector
    const items: StoredObject[] = [];
    let from: string | undefined;
    let resourceVersion = "";
    do {
      const response = await this.#options.connection.request(collectionPath(resource, namespace), {
        query: { limit: PAGE, continue: from, labelSelector: labels && labelQuery(labels) },
        doing: `list ${kind} in ${
          namespace === undefined ? "all namespaces" : `namespace ${JSON.stringify(namespace)}`
        }`,
        secret: kind === "Secret",
      });
      const page = await response.json() as {
        metadata: { continue?: string; resourceVersion: string };
        items?: JsonRecord[];
      }; // a list
      items.push(...(page.items ?? []).map((item) => whole(item, resource)));
      resourceVersion = page.metadata.resourceVersion;
      from = page.metadata.continue || undefined;
    } while (from !== undefined);
    return { items: sorted(items), resourceVersion };
  }

  async watch(
    kinds: readonly string[],
    onEvent: (event: WatchEvent) => void,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    this.#checkOpen();
    if (signal.aborted) return;
    const wanted = [...new Set(kinds)];
    for (const kind of wanted) this.#resources.of(kind); // refuses all before it begins with one
    for (const kind of wanted) this.#use(kind);
    const leave = () => {
      for (const kind of wanted) this.#release(kind);
    };
    signal.addEventListener("abort", leave, { once: true });
    const ends = AbortSignal.any([signal, this.#closed.signal]);
    try {
      for (const kind of wanted) {
        for (const reflector of this.#feeds.get(kind)?.reflectors ?? []) await reflector.untilSynced(ends);
      }
    } catch (thrown) {
      if (ends.aborted) return;
      throw thrown;
    }
    const existing = wanted.flatMap((kind) => sorted(this.#objectsOf(kind)));
    await this.#watchers.watch(wanted, existing, { onEvent, signal: ends });
  }

  async apply(object: ApplyObject, options: ApplyOptions): Promise<StoredObject> {
    this.#checkOpen();
    return await this.#writes.apply(object, options);
  }

  async updateStatus(key: ObjectKey, status: unknown, options?: StatusOptions): Promise<StoredObject> {
    this.#checkOpen();
    return await this.#writes.updateStatus(key, status, options);
  }

  async patch(
    key: ObjectKey,
    values: readonly PatchedValue[],
    options: { fieldManager: string; resourceVersion: string },
  ): Promise<StoredObject> {
    this.#checkOpen();
    return await this.#writes.patch(key, values, options);
  }

  async remove(key: ObjectKey, options?: RemoveOptions): Promise<boolean> {
    this.#checkOpen();
    return await this.#writes.remove(key, options);
  }

  async removeFinalizer(key: ObjectKey, finalizer: string): Promise<void> {
    this.#checkOpen();
    await this.#writes.removeFinalizer(key, finalizer);
  }

  /** Returns at once; written when its time comes, see `events/`. */
  record(event: StoreEvent): Promise<void> {
    this.#events.record(event);
    return Promise.resolve();
  }

  async need(owner: string, keys: readonly ObjectKey[]): Promise<void> {
    this.#checkOpen();
    await this.#secrets.need(owner, keys);
  }

  watches(): readonly WatchState[] {
    const { problem } = this.#secrets;
    return [...this.#feeds.values()].flatMap(({ reflectors }) => reflectors.map(({ state }) => state))
      .map((state) => state.kind === "Secret" && problem !== undefined ? { problem, ...state } : state);
  }

  async caughtUp(signal: AbortSignal): Promise<void> {
    this.#checkOpen();
    const ends = AbortSignal.any([signal, this.#closed.signal]);
    const reflectors = [...this.#feeds.values()].flatMap(({ reflectors }) => reflectors);
    await Promise.all(reflectors.map((reflector) => reflector.caughtUp(ends)));
    await this.#secrets.settled();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort(closedError());
    this.#secrets.close();
    this.#watchers.close();
    const feeds = [...this.#feeds.values()];
    this.#feeds.clear();
    await Promise.all(feeds.flatMap(({ reflectors }) => reflectors.map((one) => one[Symbol.asyncDispose]())));
  }

  #known(key: ObjectKey): StoredObject | undefined {
    const id = formatKey(key);
    for (const reflector of this.#feeds.get(key.kind)?.reflectors ?? []) {
      const object = reflector.object(id);
      if (object) return object;
    }
    return undefined;
  }

  #objectsOf(kind: string): StoredObject[] {
    if (kind === "Secret") return [...this.#secrets.objects()];
    return (this.#feeds.get(kind)?.reflectors ?? []).flatMap((reflector) => [...reflector.objects()]);
  }

  /** Starts to follow a kind, unless that is done already. */
  #use(kind: string): void {
    const feed = this.#feeds.get(kind);
    if (feed) {
      feed.users++;
      return;
    }
    const resource = this.#resources.of(kind);
    const everywhere = resource.clusterScoped || this.#options.namespaces.length === 0;
    const namespaces = everywhere ? [] : [...new Set([...this.#options.namespaces, ...resource.alsoIn ?? []])];
    const { connection, clock, random, log, metrics, idleMs } = this.#options;
    const onEvent = (event: WatchEvent) => {
      if (kind === "Secret") this.#secrets.take(event);
      else this.#publish(event);
      if (event.type !== "modified") this.#measure(kind);
    };
    const reflectors = (namespaces.length === 0 ? [undefined] : namespaces).map((namespace) =>
      new Reflector({
        connection,
        resource,
        clock,
        random,
        log,
        onEvent,
        ...(namespace === undefined ? {} : { namespace }),
        ...(metrics ? { metrics } : {}),
        ...(idleMs === undefined ? {} : { idleMs }),
      })
    );
    this.#feeds.set(kind, { reflectors, users: 1 });
  }

  /** Stops to follow a kind that nobody watches any more. */
  #release(kind: string): void {
    const feed = this.#feeds.get(kind);
    if (!feed || --feed.users > 0) return;
    this.#feeds.delete(kind);
    for (const reflector of feed.reflectors) void reflector[Symbol.asyncDispose]();
    if (kind === "Secret") this.#secrets.forget();
  }

  #measure(kind: string): void {
    const sizes = (this.#feeds.get(kind)?.reflectors ?? []).map(({ size }) => size);
    this.#options.metrics?.set("chancery_watch_objects", { kind }, sizes.reduce((sum, size) => sum + size, 0));
  }

  #publish(event: WatchEvent): void {
    this.#watchers.publish([event]);
  }

  #checkOpen(): void {
    if (this.#closed.signal.aborted) throw closedError();
  }
}

function closedError(): ChanceryError {
  return new ChanceryError("unavailable", "Cannot use the store: it is closed", { retryable: false });
}

function sorted(objects: readonly StoredObject[]): StoredObject[] {
  const order = ({ metadata: { namespace, name } }: StoredObject) => `${namespace}/${name}`;
  return [...objects].sort((a, b) => order(a) < order(b) ? -1 : 1);
}
