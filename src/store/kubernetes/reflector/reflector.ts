import { ChanceryError, type Clock } from "../../../base/mod.ts";
import type { Logger, Metrics } from "../../../telemetry/mod.ts";
import { isRecord, type JsonRecord } from "../../core/json.ts";
import type { StoredObject, WatchEvent } from "../../store.ts";
import { ApiError, hasCause } from "../connection/api_error.ts";
import type { KubeConnection } from "../connection/connection.ts";
import { labelQuery } from "../label_query.ts";
import { networkError } from "../connection/network_error.ts";
import { pause } from "../pause.ts";
import { collectionPath, type Resource } from "../resources.ts";
import { type Ending, nextTry } from "./next_try.ts";
import { ObjectCache } from "./object_cache.ts";
import { readLines } from "./read_lines.ts";
import { slim } from "./slim.ts";
import { WatchProgress, type WatchState } from "./watch_phase.ts";

/** Options of {@linkcode Reflector}. */
export interface ReflectorOptions {
  readonly connection: KubeConnection;
  readonly resource: Resource;
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: Metrics;
  /** Longest silence of a watch in milliseconds. API servers send a bookmark every minute. */
  readonly idleMs?: number;
  /** Told each change, in order. Must not throw. */
  readonly onEvent: (event: WatchEvent) => void;
}

const IDLE_MS = 90_000;
/** Until a watch or a page of a list begins to be answered, in milliseconds. */
const ANSWER_MS = 30_000;
const PAGE = 500;
/** Between two questions for the newest version while there is no answer, in milliseconds. */
const RETRY_MS = 1000;
/** A watch is ended by the API server after this many seconds, up to twice as many, so that not all come back at once. */
const WATCH_S = 300;
/** Of a watch that is to prove that nothing is missing: a bookmark comes two seconds before its end. */
const CHECK_S = 3;
/** Watches that may end without that bookmark before all is listed again. */
const MAX_CHECKS = 2;
const INITIAL_END = "k8s.io/initial-events-end";

/**
 * Keeps up with all objects of one kind in one namespace, or in all: a streaming list (or, where the API server has none, a
 * paged one), then a watch that goes on from the last version whenever it ends.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #cache = new ObjectCache();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  readonly #progress: WatchProgress;
  #cut: ((ending: Ending) => void) | undefined;
  #wake: (() => void) | undefined;
  #version: string | undefined;
  #streams = true;
  /** Whether a watch that is to prove something is asked for, or under way. */
  #check: "no" | "asked" | "running" = "no";

  constructor(options: ReflectorOptions) {
    this.#options = options;
    const { resource: { kind }, namespace = "", clock } = options;
    this.#progress = new WatchProgress({ kind, namespace }, clock);
    this.#done = this.#run();
  }

  get state(): WatchState {
    return this.#progress.state;
  }

  /** What is known now. */
  objects(): Iterable<StoredObject> {
    return this.#cache.values();
  }

  get size(): number {
    return this.#cache.size;
  }

  object(key: string): StoredObject | undefined {
    return this.#cache.get(key);
  }

  /** Whether everything there was has been told once. */
  get synced(): boolean {
    return this.state.state !== "listing";
  }

  /** Resolves once everything there is has been told. */
  async untilSynced(signal: AbortSignal): Promise<void> {
    while (!this.synced) await this.#progress.change(signal);
  }

  /** Resolves once everything up to the version that the API server names now has been told. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    await this.untilSynced(signal);
    const version = await this.#newestVersion(signal);
    for (let checks = 0; this.#version === undefined || isOlder(this.#version, version);) {
      if (this.#check === "no" && this.#version !== undefined) {
        this.#check = "asked";
        checks++;
        // a list proves it where bookmarks do not come
        this.#cut?.({ why: checks > MAX_CHECKS ? "expired" : "checked" });
        if (checks === 1) this.#wake?.(); // later ones wait their turn: the API server may be away
      }
      await this.#progress.change(signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#progress.end();
    this.#cut?.({ why: "ended" });
    this.#wake?.();
    await this.#done;
  }

  /** The version of the API server as it is now; asked for until there is an answer. */
  async #newestVersion(signal: AbortSignal): Promise<string> {
    const { connection, resource, namespace, clock } = this.#options;
    for (;;) {
      try {
        const response = await connection.request(collectionPath(resource, namespace), {
          query: { ...this.#selectors(), limit: 1 },
          headers: this.#accept("PartialObjectMetadataList"),
          doing: `ask for the version of ${this.#what()}`,
          secret: resource.kind === "Secret",
          signal,
        });
        return versionOf(await response.json());
      } catch (thrown) {
        if (signal.aborted || this.#stop.signal.aborted) throw thrown;
        await pause(RETRY_MS, { clock, signals: [signal, this.#stop.signal] });
      }
    }
  }

  async #run(): Promise<void> {
    const { clock, random, metrics, resource: { kind } } = this.#options;
    for (let failures = 0; !this.#stop.signal.aborted;) {
      const began = clock.monotonic();
      const ending = await this.#follow();
      if (this.#stop.signal.aborted) return;
      const next = nextTry(ending, { failures, lastedMs: clock.monotonic() - began, random: random() });
      failures = next.failures;
      if (next.relist) this.#version = undefined;
      if (ending.why === "no-streaming") this.#streams = false;
      else metrics?.count("chancery_watch_restarts_total", { kind, reason: ending.why });
      if (this.#check === "running") this.#check = "no";
      if (this.synced && failures > 0 && ending.why !== "checked") this.#progress.enter("resuming");
      else this.#progress.moved();
      await this.#pause(next.waitMs);
    }
  }

  /** Lists when it must and watches until that is over. */
  async #follow(): Promise<Ending> {
    const stop = new AbortController();
    let cut: Ending | undefined;
    this.#cut = (ending) => {
      cut ??= ending;
      stop.abort();
    };
    const { signal } = stop;
    try {
      if (this.#version === undefined && !this.#streams) await this.#listPages(signal);
      return await this.#watch(signal);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return { why: "ended" };
      if (cut?.why === "idle") this.#say(`Cannot watch ${this.#what()}: the API server has been silent for too long`);
      return cut ?? this.#failed(thrown);
    } finally {
      this.#cut = undefined;
      stop.abort();
    }
  }

  async #watch(signal: AbortSignal): Promise<Ending> {
    const { connection, resource, namespace, random } = this.#options;
    const from = this.#version;
    const check = this.#check === "asked" && from !== undefined;
    this.#check = check ? "running" : "no";
    const query = {
      ...this.#selectors(),
      watch: true,
      allowWatchBookmarks: true,
      timeoutSeconds: check ? CHECK_S : Math.round(WATCH_S * (1 + random())),
      ...(from === undefined
        ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan", resourceVersion: "" }
        : { resourceVersion: from }),
    };
    if (from === undefined) this.#cache.beginList();
    const response = await connection.request(collectionPath(resource, namespace), {
      query,
      headers: this.#accept("PartialObjectMetadata"),
      doing: `watch ${this.#what()}`,
      secret: resource.kind === "Secret",
      timeoutMs: ANSWER_MS,
      stream: true,
      signal,
    });
    if (from !== undefined) this.#enterCurrent();
    const { clock, idleMs = IDLE_MS } = this.#options;
    const ending = await readLines(response.body!, { // a stream was asked for
      onLine: (line) => {
        signal.throwIfAborted();
        return this.#take(this.#parse(line));
      },
      onSilence: () => this.#cut?.({ why: "idle" }),
      idleMs,
      clock,
      signal,
    });
    return ending ?? { why: check ? "checked" : "ended" };
  }

  #parse(line: string): { type: string; object: JsonRecord } {
    try {
      return JSON.parse(line);
    } catch {
      // the error would quote the line
      throw new ChanceryError("unavailable", `Cannot watch ${this.#what()}: a line of the answer is no JSON`);
    }
  }

  /** Takes one line of a watch in; what it returns ends the watch. */
  #take({ type, object }: { type: string; object: JsonRecord }): Ending | undefined {
    const { resource, metrics } = this.#options;
    if (type === "ERROR") {
      const { code, reason } = object as { code?: number; reason?: string }; // a Status
      if (code === 410 || reason === "Expired" || reason === "Gone") return { why: "expired" };
      throw new ApiError("unavailable", `Cannot watch ${this.#what()}: ${String(object["message"] ?? "it failed")}`, {
        status: code ?? 500,
        ...(reason === undefined ? {} : { reason }),
      });
    }
    if (type === "BOOKMARK") {
      const metadata = isRecord(object["metadata"]) ? object["metadata"] : {};
      const annotations = isRecord(metadata["annotations"]) ? metadata["annotations"] : {};
      if (annotations[INITIAL_END] === "true") this.#endList(versionOf(object));
      else if (this.#version !== undefined) this.#reached(versionOf(object));
      return undefined;
    }
    const kept = slim(object, resource);
    metrics?.count("chancery_watch_events_total", { kind: resource.kind });
    this.#tell(type === "DELETED" ? this.#cache.drop(kept) : this.#cache.put(kept));
    if (this.#version !== undefined) this.#reached(kept.metadata.resourceVersion);
    return undefined;
  }

  async #listPages(signal: AbortSignal): Promise<void> {
    const { connection, resource, namespace } = this.#options;
    this.#cache.beginList();
    let from: string | undefined;
    let version = "";
    do {
      const response = await connection.request(collectionPath(resource, namespace), {
        query: { limit: PAGE, continue: from, ...this.#selectors() },
        headers: this.#accept("PartialObjectMetadataList"),
        doing: `list ${this.#what()}`,
        secret: resource.kind === "Secret",
        timeoutMs: ANSWER_MS,
        signal,
      });
      const page = await response.json() as { metadata: { continue?: string }; items?: JsonRecord[] }; // a list
      for (const item of page.items ?? []) this.#tell(this.#cache.put(slim(item, resource)));
      version = versionOf(page);
      from = page.metadata.continue || undefined;
    } while (from !== undefined);
    this.#endList(version);
  }

  #endList(version: string): void {
    this.#tell(this.#cache.endList(version));
    this.#version = version;
    this.#enterCurrent();
  }

  #reached(version: string): void {
    if (version === "") return; // a watch from there would begin with everything
    this.#version = version;
    this.#progress.moved();
  }

  #tell(events: readonly WatchEvent[]): void {
    for (const event of events) this.#options.onEvent(event);
  }

  #failed(thrown: unknown): Ending {
    const status = thrown instanceof ApiError ? thrown.status : undefined;
    if (status === 410) return { why: "expired" };
    const tooNew = thrown instanceof ApiError && hasCause(thrown, "ResourceVersionTooLarge");
    if (tooNew) return { why: "expired" };
    const refusesStreams = this.#version === undefined && this.#streams && (status === 400 || status === 422);
    if (refusesStreams) return { why: "no-streaming" };
    const problem = thrown instanceof ChanceryError
      ? thrown.message
      : networkError(thrown, { doing: `watch ${this.#what()}`, server: this.#options.connection.server }).message;
    this.#say(problem);
    return { why: "failed", retryAfterMs: thrown instanceof ApiError ? thrown.retryAfterMs : undefined };
  }

  #say(problem: string): void {
    if (this.#progress.failed(problem)) this.#options.log.warn(problem);
  }

  #enterCurrent(): void {
    const solved = this.#progress.enter("current");
    if (solved !== undefined) this.#options.log.info(`Can watch ${this.#what()} again`);
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0 || this.#stop.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(ms, resolve);
    this.#wake = resolve;
    await promise;
    cancel();
    this.#wake = undefined;
  }

  /** Of Secrets only metadata is asked for: what nobody needs does not even come here. */
  #accept(type: "PartialObjectMetadata" | "PartialObjectMetadataList"): Record<string, string> {
    const { kind } = this.#options.resource;
    return kind === "Secret" ? { accept: `application/json;as=${type};g=meta.k8s.io;v=v1` } : {};
  }

  #selectors(): { labelSelector?: string; fieldSelector?: string } {
    const { selector, named } = this.#options.resource;
    return {
      ...(selector && { labelSelector: labelQuery({ matchLabels: selector }) }),
      ...(named !== undefined && { fieldSelector: `metadata.name=${named}` }),
    };
  }

  #what(): string {
    const { resource: { kind }, namespace } = this.#options;
    return `${kind} in ${namespace === undefined ? "all namespaces" : `namespace ${JSON.stringify(namespace)}`}`;
  }
}

function versionOf(value: unknown): string {
  const metadata = isRecord(value) && isRecord(value["metadata"]) ? value["metadata"] : {};
  const version = metadata["resourceVersion"];
  return typeof version === "string" ? version : "";
}

/** Versions of one API server are numbers that grow; anything else counts as not older. */
function isOlder(one: string, other: string): boolean {
  return /^\d+$/.test(one) && /^\d+$/.test(other) && BigInt(one) < BigInt(other);
}
