/**
 * What happened in a run: everything the checks go by. Times are milliseconds since its beginning.
 * @module
 */

/** The types that the clients of a run ask for. */
export type TypeName = "CDS" | "EDS" | "LDS" | "RDS" | "SDS";

/** A resource as it was on the wire; what refers to what was read from the bytes. */
export interface WireResource {
  /** The name inside of the message. */
  readonly name: string;
  /** As claimed for this resource; empty in state of the world. */
  readonly version: string;
  /** Version that its bytes have by their content. */
  readonly hash: string;
  /** Refused by every client, or by one alone. */
  readonly bad?: "all" | "odd";
  /** Clusters: warm only with endpoints. */
  readonly eds?: boolean;
  /** Listeners: name of their route configuration. */
  readonly route?: string;
  /** Routes, and listeners with a route inside: where requests go. */
  readonly cluster?: string;
}

/** A resource as it was written. */
export interface WrittenResource {
  readonly type: TypeName;
  readonly name: string;
  readonly hash: string;
  readonly bad?: "all" | "odd";
}

interface OfStream {
  readonly client: string;
  readonly node: string;
  /** Unique within the run. */
  readonly stream: number;
  readonly protocol: "sotw" | "delta";
}

/** A stream was opened by a client, or is over. */
export interface StreamEvent extends OfStream {
  readonly kind: "open" | "closed";
}

/** What a client said. */
export interface RequestEvent extends OfStream {
  readonly kind: "request";
  readonly type: TypeName;
  readonly nonce: string;
  /** State of the world: all names. */
  readonly names: readonly string[];
  readonly subscribe: readonly string[];
  readonly unsubscribe: readonly string[];
  /** What the client claims to hold. */
  readonly claims: Readonly<Record<string, string>>;
  readonly error?: string;
  /** What of the response was refused. */
  readonly refused?: readonly { readonly name: string; readonly hash: string }[];
}

/** What the server said. */
export interface ResponseEvent extends OfStream {
  readonly kind: "response";
  readonly type: TypeName;
  readonly nonce: string;
  readonly version: string;
  readonly resources: readonly WireResource[];
  readonly removed: readonly string[];
}

/** An EnvoyConfig that was put into the directory, whole and correct. */
export interface WriteEvent {
  readonly kind: "write";
  readonly node: string;
  /** Counts the writes of a run. */
  readonly serial: number;
  /** Of the revision that must come of it. */
  readonly version: string;
  readonly resources: readonly WrittenResource[];
}

/** A Secret was put into the directory; `hash` is absent when nothing can be made of it. */
export interface SecretEvent {
  readonly kind: "secret";
  readonly node: string;
  readonly name: string;
  readonly hash?: string;
  /** The bytes that must show nowhere. */
  readonly canary: string;
}

/** Something was broken, or mended. */
export interface FaultEvent {
  readonly kind: "fault" | "healed";
  readonly fault: string;
  /** From then on, until it is mended, nobody can be expected to answer. */
  readonly silent?: boolean;
}

/** The process began, became ready, or ended. */
export interface ProcessEvent {
  readonly kind: "started" | "ready" | "killed" | "stopped";
}

/** An EnvoyConfig as it is stored. */
export interface StoredConfig {
  readonly node: string;
  readonly uid: string;
  readonly generation: number;
  /** Of its spec. */
  readonly version: string;
  readonly desired?: string;
  readonly published?: string;
  readonly publication?: string;
  readonly acknowledged?: string;
  readonly rollbackCount: number;
}

/** A revision as it is stored. */
export interface StoredRevision {
  readonly node: string;
  readonly name: string;
  readonly version: string;
  readonly owner: string;
  readonly published: boolean;
  readonly tainted: boolean;
  /** Reason of the taint. */
  readonly reason?: string;
}

/** What stands in the database while nobody uses it. */
export interface StoreEvent {
  readonly kind: "store";
  /** Whether all had come to rest before. */
  readonly atRest: boolean;
  readonly configs: readonly StoredConfig[];
  readonly revisions: readonly StoredRevision[];
}

/** The admin interface says that a write has become what is wanted. */
export interface ReadEvent {
  readonly kind: "read";
  readonly node: string;
  readonly version: string;
}

/** After the last fault: how long each client took until it held what it should; absent when it never did. */
export interface ConvergedEvent {
  readonly kind: "converged";
  readonly client: string;
  readonly node: string;
  /** Counted from its last reconnect, or from the last change if that was later. */
  readonly afterMs?: number;
}

/** Whether a version that all refuse was taken back, and how long after it was read. */
export interface RolledBackEvent {
  readonly kind: "rolled back";
  readonly node: string;
  readonly version: string;
  readonly afterMs?: number;
}

/** Text that came out of the program. */
export interface OutputEvent {
  readonly kind: "output";
  readonly source: string;
  readonly text: string;
}

/** Anything that happened. */
export type Happening =
  | StreamEvent
  | RequestEvent
  | ResponseEvent
  | WriteEvent
  | SecretEvent
  | FaultEvent
  | ProcessEvent
  | StoreEvent
  | ReadEvent
  | ConvergedEvent
  | RolledBackEvent
  | OutputEvent;

/** Something that happened, and when. */
export type Entry = Happening extends infer One ? One extends Happening ? One & { readonly at: number } : never : never;

/** All that happened, in order. */
export type Log = readonly Entry[];

/** A log in the making. */
export class Journal {
  readonly entries: Entry[] = [];
  /** When it began, milliseconds since the epoch. */
  readonly origin: number;
  readonly #waiting = new Set<() => void>();

  /** Journals of several processes with one origin tell the same time. */
  constructor(origin = performance.timeOrigin + performance.now()) {
    this.origin = origin;
  }

  now(): number {
    return Math.round(performance.timeOrigin + performance.now() - this.origin);
  }

  add(happening: Happening): void {
    this.take({ at: this.now(), ...happening } as Entry); // one of them with a time
  }

  /** Adds what another journal has written down. */
  take(entry: Entry): void {
    this.entries.push(entry);
    for (const wake of this.#waiting) wake();
  }

  /** Waits until `enough` holds of the entries, but no longer than given. */
  async until(enough: () => boolean, deadlineMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => enough() && resolve();
    this.#waiting.add(look);
    const timer = setTimeout(resolve, deadlineMs);
    look();
    await promise;
    clearTimeout(timer);
    this.#waiting.delete(look);
    return enough();
  }

  /** Waits for so many further entries, but no longer than given. */
  async further(count: number, deadlineMs: number): Promise<void> {
    const end = this.entries.length + count;
    await this.until(() => this.entries.length >= end, deadlineMs);
  }

  /** One entry per line, without the output, which is long. */
  async write(path: string): Promise<void> {
    const lines = this.entries.filter(({ kind }) => kind !== "output").map((entry) => JSON.stringify(entry));
    await Deno.writeTextFile(path, `${lines.join("\n")}\n`);
  }
}

/** The entries of some kinds. */
export function entriesOf<K extends Entry["kind"]>(log: Log, ...kinds: readonly K[]): (Entry & { readonly kind: K })[] {
  // Filtered by the kind, which tells the members of the union apart.
  return log.filter((entry) => (kinds as readonly string[]).includes(entry.kind)) as (Entry & { readonly kind: K })[];
}
