import { type Clock, errorMessage, formatKey, isRetryable, type ObjectKey, parseKey } from "../../base/mod.ts";
import { LiveCache } from "./live_cache.ts";
import { keyOf, type ObjectEvent, type WatchedObject } from "./object_source.ts";
import type { OwnedStore } from "./owned_store.ts";
import { QuietConflicts } from "./quiet_conflicts.ts";
import { ReverseIndex } from "./reverse_index.ts";
import { topicsOf, View } from "./view.ts";
import { WorkQueue, type WorkResult } from "./work_queue.ts";

/** What a controller does about one object of its kind. */
export interface ObjectWork {
  /** The kind that is worked on. */
  readonly kind: string;
  /** Which objects of the kind it is about; all when absent. The others are not even remembered. */
  concerns?(object: WatchedObject): boolean;
  /** Further kinds, changes of which bring the objects back that have looked at them. */
  readonly watched: readonly string[];
  /** Brings the world to what the object says. Returns when to come back though nothing changes. */
  look(object: WatchedObject, view: View): Promise<number | undefined>;
  /**
   * How long changes of others may wait before they bring an object back to which a look took so long, both in milliseconds; not at all
   * when absent. For objects that look at many others, each of which changes.
   */
  restMs?(object: WatchedObject, tookMs: number): number;
  /** The object is gone. */
  gone?(key: ObjectKey): void;
  /** Told each change, before anything is done about it. */
  onEvent?(event: ObjectEvent): void;
}

/** Options of {@linkcode ObjectController}. */
export interface ObjectControllerOptions {
  readonly store: OwnedStore;
  readonly cache: LiveCache;
  readonly work: ObjectWork;
  readonly leading: () => boolean;
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of retries. */
  readonly random: () => number;
  /** How many objects are worked on at once; 4 when absent. */
  readonly concurrency?: number;
  /** Each object is looked at after so long at the latest, in milliseconds; ten minutes when absent. */
  readonly resyncMs?: number;
  /** Told when a look failed and will be repeated. */
  readonly onError: (about: ObjectKey, failure: { message: string; retryInMs?: number }) => void;
}

const CONCURRENCY = 4;
const RESYNC_MS = 600_000;
/** When what was refused is tried again, in milliseconds. */
const REFUSED_MS = 60_000;

/**
 * Looks at each object of a kind whenever it, or something that the last look has looked at, changes, and when its time comes. Only
 * the replica that leads does; a new leader looks at everything.
 */
export class ObjectController {
  readonly #options: ObjectControllerOptions;
  readonly #topics = new ReverseIndex(); // of the last looks
  readonly #looks = new Map<string, View>(); // that go on
  readonly #conflicts: QuietConflicts;
  readonly #refusals = new Set<string>();
  readonly #known = new Set<string>();
  readonly #restUntil = new Map<string, number>(); // monotonic
  #queue: WorkQueue | undefined;

  constructor(options: ObjectControllerOptions) {
    this.#options = options;
    this.#conflicts = new QuietConflicts(options.random);
  }

  /** Resolves once everything that the store knows has been told; goes on until `signal`. */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#queue) throw new TypeError("An ObjectController starts once");
    const { store, work, clock, random, concurrency = CONCURRENCY, onError } = this.#options;
    this.#queue = new WorkQueue({
      ...{ clock, random, concurrency, signal },
      work: (id) => this.#work(id),
      onError(id, { error, retryInMs }) {
        const told = { message: errorMessage(error), ...(retryInMs !== undefined && { retryInMs }) };
        onError(parseKey(id)!, told); // the queue's keys are keys of objects
      },
    });
    let synced = false;
    await store.watch([...new Set([work.kind, ...work.watched])], (event) => {
      const concerned = this.#take(event);
      if (synced) { for (const id of concerned) this.#add(id); }
    }, { signal });
    synced = true;
    this.lookAtAll();
  }

  /** This replica leads from now on, or something happened that may concern everything. */
  lookAtAll(): void {
    for (const id of this.#known) this.#queue?.add(id);
  }

  /** Looks at one object soon. */
  lookAt(key: ObjectKey): void {
    const id = formatKey(key);
    if (this.#known.has(id)) this.#add(id);
  }

  /** How many objects could not be brought to what they should be; they are tried again. */
  get failing(): number {
    return (this.#queue?.failing ?? 0) + this.#refusals.size;
  }

  /** How many objects wait to be looked at, now or at a set time, or are being looked at. */
  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  /** Resolves when nothing is left to look at for now. */
  idle(): Promise<void> {
    return this.#queue?.idle() ?? Promise.resolve();
  }

  #add(id: string): void {
    const left = (this.#restUntil.get(id) ?? 0) - this.#options.clock.monotonic();
    if (left > 0) this.#queue?.addAfter(id, left);
    else this.#queue?.add(id);
  }

  #take(event: ObjectEvent): Set<string> {
    const { cache, work } = this.#options;
    const key = keyOf(event.object);
    if (key.kind === work.kind && work.concerns?.(event.object) === false) return new Set();
    const before = cache.get(key);
    cache.take(event);
    work.onEvent?.(event);
    const topics = new Set([...topicsOf(event.object), ...(before ? topicsOf(before) : [])]);
    const concerned = new Set([...topics].flatMap((topic) => [...this.#topics.ownersOf(topic)]));
    for (const [id, view] of this.#looks) {
      if (!view.topics.isDisjointFrom(topics)) concerned.add(id); // the look may have seen what was before
    }
    if (key.kind !== work.kind) return concerned;
    const id = formatKey(key);
    concerned.add(id);
    if (event.type !== "deleted") this.#known.add(id);
    return concerned;
  }

  #rest(id: string, object: WatchedObject, began: number): void {
    const { clock, work } = this.#options;
    const now = clock.monotonic();
    const rest = work.restMs?.(object, now - began) ?? 0;
    if (rest > 0) this.#restUntil.set(id, now + rest);
  }

  /** What is refused for good may be taken once rights or quotas are others, of which nobody tells. */
  #refused(key: ObjectKey, error: unknown): WorkResult {
    const { resyncMs = RESYNC_MS, onError } = this.#options;
    const requeueAfterMs = Math.min(REFUSED_MS, resyncMs);
    this.#refusals.add(formatKey(key));
    onError(key, { message: errorMessage(error), retryInMs: requeueAfterMs });
    return { requeueAfterMs };
  }

  async #work(id: string): Promise<WorkResult | void> {
    const { cache, work, leading, clock, resyncMs = RESYNC_MS } = this.#options;
    const key = parseKey(id)!; // as above
    const object = cache.get(key);
    if (!object) {
      this.#known.delete(id);
      this.#topics.set(id, []);
      this.#conflicts.over(id);
      this.#refusals.delete(id);
      this.#restUntil.delete(id);
      work.gone?.(key);
      return;
    }
    if (!leading()) return;
    const view = new View(cache);
    const began = clock.monotonic();
    this.#restUntil.delete(id); // what changes meanwhile is looked at
    this.#looks.set(id, view);
    try {
      const next = await work.look(object, view);
      if (next === undefined || next > clock.now()) this.#rest(id, object, began);
      this.#conflicts.over(id);
      this.#refusals.delete(id);
      const wait = next === undefined ? resyncMs : Math.min(Math.max(0, next - clock.now()), resyncMs);
      return { requeueAfterMs: wait };
    } catch (error) {
      if (!leading()) return; // whoever leads now does it
      if (!isRetryable(error)) return this.#refused(key, error);
      const again = this.#conflicts.again(id, error);
      if (!again) throw error;
      return again;
    } finally {
      this.#looks.delete(id);
      this.#topics.set(id, [...view.topics]);
    }
  }
}
