import { backoffDelay } from "../../../../src/base/mod.ts";
import { delay } from "../machine/delay.ts";
import { type KubeClient, KubeError, type KubeObject } from "./client.ts";

/** Options of {@linkcode Informer}. */
export interface InformerOptions<T> {
  readonly client: KubeClient;
  /** `/api/v1/pods`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** Called for each object that came, changed (with the new state) or went (with `undefined` and its last state). */
  readonly onChange?: (object: T | undefined, before: T | undefined) => void;
}

const RETRY = { baseMs: 50, maxMs: 1000 };
/** The API server ends a watch after this time; the next one goes on where it ended. */
const WATCH_SECONDS = 240;

/**
 * All objects of a kind, kept up to date by a watch. Whatever breaks (the API server restarts, a version is too old) is mended by a
 * new watch or a new list, and what changed meanwhile is told then.
 */
export class Informer<T extends KubeObject> implements AsyncDisposable {
  readonly objects = new Map<string, T>();
  readonly #options: InformerOptions<T>;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  readonly #synced = Promise.withResolvers<void>();

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resolves when the first list is in. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#synced.resolve();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    let version: string | undefined;
    let failures = 0;
    while (!signal.aborted) {
      try {
        version ??= await this.#list(signal);
        this.#synced.resolve();
        version = await this.#watch(version, signal);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof KubeError && error.status === 410) version = undefined;
        else if (error instanceof WatchBroken) version = error.version;
        await delay(backoffDelay(++failures, RETRY), signal);
      }
    }
  }

  async #list(signal: AbortSignal): Promise<string> {
    const list = await this.#options.client.request<{ metadata: { resourceVersion: string }; items: T[] }>(
      "GET",
      this.#url({}),
      { signal },
    );
    const now = new Map(list.items.map((object) => [keyOf(object), object]));
    for (const [key, before] of [...this.objects]) if (!now.has(key)) this.#set(key, undefined, before);
    for (const [key, object] of now) {
      const before = this.objects.get(key);
      if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) this.#set(key, object, before);
    }
    return list.metadata.resourceVersion;
  }

  /** Follows until the stream ends. @returns the version to go on from */
  async #watch(from: string, signal: AbortSignal): Promise<string> {
    let version = from;
    const query = {
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: from,
      timeoutSeconds: String(WATCH_SECONDS),
    };
    // A stream that outlives its time is cut off here, for instance when the API server is frozen.
    const late = AbortSignal.timeout((WATCH_SECONDS + 10) * 1000);
    const response = await this.#options.client.fetch("GET", this.#url(query), {
      signal: AbortSignal.any([signal, late]),
    });
    try {
      for await (const line of linesOf(response)) {
        // What the API promises of a watch.
        const { type, object } = JSON.parse(line) as { type: string; object: T & { code?: number; message?: string } };
        if (type === "ERROR") throw new KubeError(object.code ?? 500, object.message ?? "watch failed");
        version = object.metadata.resourceVersion;
        if (type === "BOOKMARK") continue;
        const key = keyOf(object);
        this.#set(key, type === "DELETED" ? undefined : object, this.objects.get(key) ?? object);
      }
    } catch (error) {
      if (error instanceof KubeError) throw error;
      throw new WatchBroken(version, error);
    }
    return version;
  }

  #set(key: string, object: T | undefined, before: T | undefined): void {
    if (object) this.objects.set(key, object);
    else this.objects.delete(key);
    this.#options.onChange?.(object, before);
  }

  #url(more: Readonly<Record<string, string>>): string {
    const query = new URLSearchParams({ ...this.#options.query, ...more }).toString();
    return query === "" ? this.#options.path : `${this.#options.path}?${query}`;
  }
}

/** A stream that broke off, and the version up to which it was read. */
class WatchBroken extends Error {
  readonly version: string;

  constructor(version: string, cause: unknown) {
    super("the watch broke off", { cause });
    this.version = version;
  }
}

/** `NAMESPACE/NAME`, or `/NAME` of what has no namespace. */
export function keyOf({ metadata }: { metadata: { namespace?: string; name: string } }): string {
  return `${metadata.namespace ?? ""}/${metadata.name}`;
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = "";
  if (!response.body) return;
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    yield* lines.filter((line) => line !== "");
  }
}
