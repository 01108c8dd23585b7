import type { StoredObject, WatchEvent } from "../store.ts";

interface Watcher {
  readonly kinds: ReadonlySet<string>;
  readonly onEvent: (event: WatchEvent) => void;
  readonly queue: (WatchEvent | (() => void))[];
}

/**
 * Hands changes to those who watch, in order. A watcher that writes while it is told something only lengthens the queues:
 * nobody is told of a later change before an earlier one.
 */
export class Watchers {
  readonly #watchers = new Set<Watcher>();
  readonly #closers = new Set<() => void>();
  #draining = false;

  /** Tells `existing` and then each change; resolves once `existing` was told, or when the signal came first. */
  watch(
    kinds: readonly string[],
    existing: readonly StoredObject[],
    options: { readonly onEvent: (event: WatchEvent) => void; readonly signal: AbortSignal },
  ): Promise<void> {
    const { onEvent, signal } = options;
    if (signal.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue: Watcher["queue"] = existing.map((object) => ({ type: "added" as const, object }));
    const watcher: Watcher = { kinds: new Set(kinds), onEvent, queue: [...queue, resolve] };
    const stop = () => {
      this.#watchers.delete(watcher);
      this.#closers.delete(stop);
      signal.removeEventListener("abort", stop);
      watcher.queue.length = 0;
      resolve();
    };
    this.#watchers.add(watcher);
    this.#closers.add(stop);
    signal.addEventListener("abort", stop);
    this.#drain();
    return promise;
  }

  publish(events: readonly WatchEvent[]): void {
    for (const watcher of this.#watchers) {
      for (const event of events) if (watcher.kinds.has(event.object.kind)) watcher.queue.push(event);
    }
    this.#drain();
  }

  close(): void {
    for (const stop of [...this.#closers]) stop();
  }

  #drain(): void {
    if (this.#draining) return;
    this.#draining = true;
    try {
      for (let busy = true; busy;) {
        busy = false;
        for (const watcher of [...this.#watchers]) {
          const next = watcher.queue.shift();
          if (next === undefined) continue;
          busy = true;
          if (typeof next === "function") next();
          else tell(watcher, next);
        }
      }
    } finally {
      this.#draining = false;
    }
  }
}

/** A watcher that throws has a fault of its own, which must not keep the others from being told. */
function tell(watcher: Watcher, event: WatchEvent): void {
  try {
    watcher.onEvent(event);
  } catch (thrown) {
    reportError(thrown);
  }
}
