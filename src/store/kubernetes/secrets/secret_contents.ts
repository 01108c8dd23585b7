import { backoffDelay, type Clock, errorMessage, formatKey, isRetryable, type ObjectKey } from "../../../base/mod.ts";
import { keyOf } from "../../core/state.ts";
import type { StoredObject, WatchEvent } from "../../store.ts";
import { Lanes } from "./lanes.ts";

/** Options of {@linkcode SecretContents}. */
export interface SecretContentsOptions {
  /** Reads one Secret with its data; `undefined` when it is gone. */
  readonly read: (key: ObjectKey) => Promise<StoredObject | undefined>;
  /** Told each change, in order. Must not throw. */
  readonly onEvent: (event: WatchEvent) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** One Secret as the watch knows it, and how it was told. */
interface Entry {
  /** Metadata as the watch gave it last. */
  known: StoredObject;
  /** What was told: `known`, or with data. */
  told?: StoredObject;
  /** Whether `told` has data. */
  full: boolean;
  /** A read is under way or waits its turn; resolves when it has ended, well or not. */
  reading?: Promise<void>;
  /** Changed since the read began. */
  stale: boolean;
  failures: number;
  cancelRetry?: () => void;
  problem?: unknown;
}

/** Reads at the same time. */
const LANES = 8;
const RETRY = { baseMs: 500, maxMs: 10_000, jitter: 0.5 };

/**
 * Adds data to the Secrets that somebody needs. The watch brings metadata alone; a needed Secret is read whenever its version
 * changes and told with its data, never without. What is needed no more is told again without, so that nobody keeps it.
 */
export class SecretContents {
  readonly #options: SecretContentsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #owners = new Map<string, ReadonlySet<string>>(); // owner → keys
  readonly #users = new Map<string, Set<string>>(); // key → owners
  readonly #lanes = new Lanes(LANES);
  #closed = false;

  constructor(options: SecretContentsOptions) {
    this.#options = options;
  }

  /** Everything as it was told. */
  *objects(): Iterable<StoredObject> {
    for (const { told } of this.#entries.values()) if (told) yield told;
  }

  /** Why some needed content could not be read, if so. */
  get problem(): string | undefined {
    for (const { problem } of this.#entries.values()) if (problem !== undefined) return errorMessage(problem);
    return undefined;
  }

  /** Takes in what the watch tells: objects without data. */
  take({ type, object }: WatchEvent): void {
    const id = formatKey(keyOf(object));
    const entry = this.#entries.get(id);
    if (type === "deleted") {
      entry?.cancelRetry?.();
      this.#entries.delete(id);
      if (entry?.told) this.#options.onEvent({ type: "deleted", object: { ...entry.told, metadata: object.metadata } });
      return;
    }
    if (entry) entry.known = object;
    const known = entry ?? { known: object, full: false, stale: false, failures: 0 };
    this.#entries.set(id, known);
    if (!this.#users.has(id)) this.#tell(known, object, false);
    else if (!known.full || known.told?.metadata.resourceVersion !== object.metadata.resourceVersion) {
      void this.#read(id, known);
    }
  }

  /** From now on `owner` needs the content of just these. Resolves when it was told; fails when some cannot be read now. */
  async need(owner: string, keys: readonly ObjectKey[]): Promise<void> {
    const wanted = new Set(keys.filter(({ kind }) => kind === "Secret").map(formatKey));
    const before = this.#owners.get(owner) ?? new Set();
    if (wanted.size > 0) this.#owners.set(owner, wanted);
    else this.#owners.delete(owner);
    for (const id of wanted) this.#users.set(id, (this.#users.get(id) ?? new Set()).add(owner));
    for (const id of before) if (!wanted.has(id)) this.#release(id, owner);
    await Promise.all([...wanted].map((id) => this.#present(id)));
  }

  /** Resolves when no read is under way that was asked for by now. */
  async settled(): Promise<void> {
    await Promise.all([...this.#entries.values()].map(({ reading }) => reading));
  }

  /** Nobody watches any more: who needs what is remembered, what it is comes with the next watch. */
  forget(): void {
    for (const { cancelRetry } of this.#entries.values()) cancelRetry?.();
    this.#entries.clear();
  }

  /** Ends retries and tells nothing any more. */
  close(): void {
    this.#closed = true;
    for (const { cancelRetry } of this.#entries.values()) cancelRetry?.();
  }

  async #present(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (!entry || entry.full || this.#closed) return;
    await (entry.reading ?? this.#read(id, entry));
    if (entry.problem !== undefined && !entry.full && this.#isNeeded(id, entry)) throw entry.problem;
  }

  #release(id: string, owner: string): void {
    const users = this.#users.get(id);
    users?.delete(owner);
    if (users?.size !== 0) return;
    this.#users.delete(id);
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.cancelRetry?.();
    delete entry.problem;
    entry.failures = 0;
    this.#tell(entry, entry.known, false);
  }

  /** Reads one Secret, again when it changed meanwhile. */
  #read(id: string, entry: Entry): Promise<void> {
    entry.cancelRetry?.();
    if (entry.reading) entry.stale = true;
    return entry.reading ??= this.#lanes.run(async () => {
      do {
        entry.stale = false;
        await this.#readOnce(id, entry);
      } while (entry.stale && this.#isNeeded(id, entry));
    }).finally(() => {
      delete entry.reading;
    });
  }

  async #readOnce(id: string, entry: Entry): Promise<void> {
    if (!this.#isNeeded(id, entry)) return;
    try {
      const object = await this.#options.read(keyOf(entry.known));
      if (!this.#isNeeded(id, entry)) return;
      delete entry.problem;
      entry.failures = 0;
      // Another object by the same name, or none: the watch is about to tell that, and then it is read again.
      if (object?.metadata.uid === entry.known.metadata.uid) this.#tell(entry, object, true);
    } catch (thrown) {
      if (!this.#isNeeded(id, entry)) return;
      entry.problem = thrown;
      const { clock, random } = this.#options;
      const delay = backoffDelay(++entry.failures, RETRY, random());
      entry.cancelRetry = clock.after(isRetryable(thrown) ? delay : RETRY.maxMs, () => void this.#read(id, entry));
    }
  }

  #isNeeded(id: string, entry: Entry): boolean {
    return !this.#closed && this.#users.has(id) && this.#entries.get(id) === entry;
  }

  #tell(entry: Entry, object: StoredObject, full: boolean): void {
    const { told } = entry;
    const same = told?.metadata.resourceVersion === object.metadata.resourceVersion && entry.full === full;
    entry.told = object;
    entry.full = full;
    if (same || this.#closed) return;
    const remade = told && told.metadata.uid !== object.metadata.uid;
    if (remade) this.#options.onEvent({ type: "deleted", object: told });
    this.#options.onEvent({ type: told && !remade ? "modified" : "added", object });
  }
}
