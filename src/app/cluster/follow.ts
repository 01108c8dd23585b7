import { ChanceryError, systemClock } from "../../base/mod.ts";
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
      void bell.rung; // whatever it was is told now
      yield { configs: inOrder(configs.values()), problems: trouble.problems() };
      if (!await pause(everyMs, { signal: ends })) return;
      await pause(LOOK_MS - everyMs, { signal: ends, bell });
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

/** Remembers that something happened until somebody asks. */
class Bell {
  #rung = false;
  #hear: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#hear?.();
  }

  /** Whether it has rung since it was asked last. */
  get rung(): boolean {
    const rung = this.#rung;
    this.#rung = false;
    return rung;
  }

  /** Calls at the next ring; one at a time. */
  onRing(hear: (() => void) | undefined): void {
    this.#hear = hear;
  }
}

/** False when the signal came. Ends early when the bell rings, or has rung. */
function pause(ms: number, { signal, bell }: { signal: AbortSignal; bell?: Bell }): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const end = () => resolve(false);
  signal.addEventListener("abort", end, { once: true });
  const cancel = systemClock.after(Math.max(0, ms), () => resolve(true));
  bell?.onRing(() => resolve(true));
  if (bell?.rung) resolve(true);
  return promise.finally(() => {
    cancel();
    bell?.onRing(undefined);
    signal.removeEventListener("abort", end);
  });
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
