import { backoffDelay, type Clock, errorMessage, wait } from "../../../base/mod.ts";
import type { Logger } from "../../../telemetry/mod.ts";
import { LoaderFailure } from "../failure.ts";
import type { SourceFiles, SourceState } from "../source_state.ts";
import type { ApiServer } from "./api_server.ts";

/** What following a source needs. */
export interface FollowOptions {
  readonly server: ApiServer;
  /** Whether changes are told at once; else they are found every {@linkcode syncIntervalMs}. */
  readonly watch: boolean;
  readonly syncIntervalMs: number;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Gets what is known, each time it is known anew. */
  tell(state: SourceState): void;
  /** Gets what keeps it from being known; what was known stays. */
  failed(failure: LoaderFailure): void;
}

/** What was read, and where a watch goes on from. */
export interface Read {
  readonly state: SourceState;
  readonly resourceVersion: string;
}

/** A source of one shape: how it is read and what its events mean. */
export interface Followed {
  /** For log lines. */
  readonly id: string;
  read(signal: AbortSignal): Promise<Read>;
  /** Path of a watch, without the parameters that all watches have. */
  readonly watchPath: string;
  /** What an event makes of the source. */
  changed(type: "ADDED" | "MODIFIED" | "DELETED", object: unknown): SourceState;
}

/** Files of the objects of a source. */
export type Objects = readonly SourceFiles[];

const BACKOFF = { baseMs: 250, maxMs: 30_000, jitter: 0.5 };
/** A watch is renewed at the latest after this, in case its connection died without a word. */
const LONGEST_WATCH_MS = 300_000;
/** What ends sooner than this has not worked. */
const SHORT_WATCH_MS = 1000;
/** How much longer than asked for a watch may last before it counts as dead. */
const GRACE_MS = 5000;

/** What a server says of a version that it does not remember. */
const GONE = 410;

/** Reads a source and follows it until the signal comes. */
export async function follow(source: Followed, options: FollowOptions, signal: AbortSignal): Promise<void> {
  const { clock, syncIntervalMs, log } = options;
  let failures = 0;
  let mayWatch = options.watch;
  let expired = false;
  while (!signal.aborted) {
    try {
      const { state, resourceVersion } = await source.read(signal);
      options.tell(state);
      if (!options.watch) {
        failures = 0;
        await wait(syncIntervalMs, { clock, signals: [signal] });
        continue;
      }
      const start = clock.monotonic();
      const from = expired ? "" : resourceVersion;
      const how = await watchOnce(
        source,
        { from, toldFirst: from === "" && state.kind === "present" },
        options,
        signal,
      );
      expired = how === "expired";
      if (how === "forbidden") {
        if (mayWatch) {
          log.warn("Changes are found by asking: this account may get, but not watch", { source: source.id });
        }
        mayWatch = false;
        failures = 0;
        await wait(syncIntervalMs, { clock, signals: [signal] });
        continue;
      }
      mayWatch = true;
      failures = clock.monotonic() - start < SHORT_WATCH_MS ? failures + 1 : 0;
      // One watch that ends at once is a restart of the server or an expired version; a second one is trouble.
      if (failures > 1) await wait(backoffDelay(failures - 1, BACKOFF, options.random()), { clock, signals: [signal] });
    } catch (thrown) {
      if (signal.aborted) return;
      failures++;
      const failure = thrown instanceof LoaderFailure
        ? thrown
        : new LoaderFailure("unreachable", `Cannot follow ${source.id}: ${errorMessage(thrown)}`, { cause: thrown });
      options.failed(failure);
      const delay = backoffDelay(failures, BACKOFF, options.random());
      await wait(Math.max(delay, failure.retryAfterMs ?? 0), { clock, signals: [signal] });
    }
  }
}

/** Where a watch begins. */
interface WatchStart {
  /** Version of what was read; from what is there now when empty. */
  readonly from: string;
  /** Whether the server has to tell something at once: when it does not, what was read has gone meanwhile. */
  readonly toldFirst: boolean;
}

/**
 * An object that nobody touches keeps its version, and the API server remembers no changes since then, at the latest after it was started
 * anew: such a version is `expired`, also when it was read a moment ago.
 */
async function watchOnce(
  source: Followed,
  { from: resourceVersion, toldFirst }: WatchStart,
  { server, syncIntervalMs, clock, tell, log }: FollowOptions,
  signal: AbortSignal,
): Promise<"ended" | "expired" | "forbidden"> {
  const lengthMs = Math.max(1000, Math.min(syncIntervalMs, LONGEST_WATCH_MS));
  const dead = new AbortController();
  const cancel = clock.after(lengthMs + GRACE_MS, () => dead.abort());
  const heard = toldFirst ? clock.after(GRACE_MS, () => dead.abort()) : () => {};
  const query = new URLSearchParams({
    watch: "true",
    allowWatchBookmarks: "true",
    timeoutSeconds: String(Math.ceil(lengthMs / 1000)),
    // Without a version the server tells what is there first, so nothing is missed after an object that was not.
    ...(resourceVersion === "" ? {} : { resourceVersion }),
  });
  try {
    for await (const event of server.watch(`${source.watchPath}&${query}`, AbortSignal.any([signal, dead.signal]))) {
      const { type, object } = event as { type: string; object: { code?: number; message?: string } }; // a WatchEvent
      if (type === "ERROR") {
        log.debug("A watch is over", { source: source.id, code: object.code, reason: object.message });
        return object.code === GONE ? "expired" : "ended";
      }
      if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") continue;
      heard();
      tell(source.changed(type, object));
    }
    return "ended";
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (dead.signal.aborted) return "ended";
    if (thrown instanceof LoaderFailure && thrown.kind === "forbidden") return "forbidden";
    throw thrown;
  } finally {
    cancel();
    heard();
  }
}
