import { ChanceryError, systemClock, wait } from "../../base/mod.ts";
import type { StoredObject } from "../../store/mod.ts";
import { type KubeConnection, openKubernetesStore } from "../../store/kubernetes/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import type { ClusterQuery } from "./cluster.ts";
import type { Objects } from "./look.ts";

/** Options of {@linkcode followConfigs}. */
export interface FollowOptions {
  readonly connection: KubeConnection;
  readonly query: ClusterQuery;
  /** Looks are so many milliseconds apart at least. */
  readonly everyMs: number;
  readonly signal: AbortSignal | undefined;
}

/** The EnvoyConfigs at one moment. */
export interface ConfigsNow {
  readonly configs: Objects;
  /** Why they may not be as they are now. */
  readonly problems: readonly string[];
}

/** Some things follow from time alone: that is looked at so often. */
const LOOK_MS = 1_000;

/** Watches EnvoyConfigs until the signal, and tells them whenever one has changed, and every second. */
export async function* followConfigs(
  { connection, query, everyMs, signal }: FollowOptions,
): AsyncGenerator<ConfigsNow> {
  const { namespace, name } = query;
  const end = new AbortController();
  const ends = AbortSignal.any([end.signal, ...(signal ? [signal] : [])]);
  const trouble = new Trouble();
  const store = openKubernetesStore({
    connection,
    namespaces: namespace === undefined ? [] : [namespace],
    clock: systemClock,
    random: Math.random,
    log: trouble.log,
  });
  const configs = new Map<string, StoredObject>();
  const bell = new Bell();
  try {
    const watching = store.watch(["EnvoyConfig"], ({ type, object }) => {
      const { uid } = object.metadata;
      if (name !== undefined && object.metadata.name !== name) return;
      if (type === "deleted") configs.delete(uid);
      else configs.set(uid, object);
      bell.ring();
    }, { signal: ends });
    await Promise.race([watching, trouble.first]);
    trouble.begun();
    while (!ends.aborted) {
      bell.hush(); // whatever it was is told now
      yield { configs: inOrder(configs.values()), problems: trouble.problems() };
      if (!await wait(everyMs, { clock: systemClock, signals: [ends] })) return;
      await wait(LOOK_MS - everyMs, { clock: systemClock, signals: [ends, bell.rung] });
    }
  } finally {
    end.abort();
    await store[Symbol.asyncDispose]();
  }
}

function inOrder(configs: Iterable<StoredObject>): Objects {
  const order = ({ metadata: { namespace, name } }: StoredObject) => `${namespace}/${name}`;
  return [...configs].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Remembers that something happened until that is told. */
class Bell {
  #rung = new AbortController();

  ring(): void {
    this.#rung.abort();
  }

  /** Comes when it rings, or has rung since it was hushed. */
  get rung(): AbortSignal {
    return this.#rung.signal;
  }

  hush(): void {
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
  }
}

/** What the watch says of itself: before it has begun that is a failure, and later something to be told. */
class Trouble {
  readonly #first = Promise.withResolvers<never>();
  #begun = false;
  #problem: string | undefined;

  constructor() {
    this.#first.promise.catch(() => {}); // nobody may be waiting any more
  }

  /** Rejects when the watch cannot begin. */
  get first(): Promise<never> {
    return this.#first.promise;
  }

  get log(): Logger {
    const log: Logger = {
      debug: () => {},
      info: () => this.#problem = undefined, // it works again
      warn: (message) => this.#tell(message),
      error: (message) => this.#tell(message),
      with: () => log,
    };
    return log;
  }

  begun(): void {
    this.#begun = true;
  }

  problems(): readonly string[] {
    return this.#problem === undefined ? [] : [this.#problem];
  }

  #tell(message: string): void {
    if (this.#begun) this.#problem = message;
    else this.#first.reject(new ChanceryError("unavailable", message));
  }
}
