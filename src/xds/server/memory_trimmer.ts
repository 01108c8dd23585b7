import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Clock, systemClock } from "../../base/mod.ts";

/** Gives memory back to the system after bursts. */
export interface MemoryTrimmer {
  /** So many bytes were sent. */
  sent(bytes: number): void;
  /** Ends it. */
  stop(): void;
}

/** Options of {@linkcode memoryTrimmer}. */
export interface MemoryTrimmerOptions {
  /** How long nothing large may have been sent. Default 2,000. */
  readonly quietMs?: number;
  /** Less than this since the last time is not worth a collection, which stops everything for 40–60 ms. Default 16 MiB. */
  readonly minBytes?: number;
  readonly clock?: Clock;
  /** Takes the place of the collection and the return of pages; for tests. */
  readonly trim?: () => void;
}

/**
 * Collects garbage and lets glibc return its free pages once a burst of responses is over; without that a process keeps the
 * memory of its largest push. Returning pages needs `--allow-ffi` and glibc; where either is missing only the collection happens.
 */
export function memoryTrimmer(options: MemoryTrimmerOptions = {}): MemoryTrimmer {
  const { quietMs = 2_000, minBytes = 16 << 20, clock = systemClock } = options;
  const pages = options.trim ? undefined : openPageTrim();
  const trim = options.trim ?? collectThen(pages);
  let sent = 0;
  let cancel: (() => void) | undefined;
  return {
    sent(bytes) {
      sent += bytes;
      if (sent < minBytes) return;
      cancel?.();
      cancel = clock.after(quietMs, () => {
        sent = 0;
        trim();
      });
    },
    stop() {
      cancel?.();
      pages?.close();
    },
  };
}

function collectThen(pages: PageTrim | undefined): () => void {
  const gc = exposeGc();
  return () => {
    gc?.({ type: "major", execution: "sync", flavor: "last-resort" });
    pages?.trim();
  };
}

function exposeGc(): ((options: object) => void) | undefined {
  try {
    setFlagsFromString("--expose-gc");
    const gc: unknown = runInNewContext("gc");
    return typeof gc === "function" ? (options) => void gc(options) : undefined;
  } catch {
    return undefined; // V8 collects when it likes
  }
}

interface PageTrim {
  trim(): void;
  close(): void;
}

function openPageTrim(): PageTrim | undefined {
  // Asking first, for opening without permission would prompt.
  if (Deno.permissions.querySync({ name: "ffi" }).state !== "granted") return undefined;
  try {
    const library = Deno.dlopen("libc.so.6", {
      malloc_trim: { parameters: ["usize"], result: "i32", nonblocking: true },
    });
    let running: Promise<unknown> = Promise.resolve();
    return {
      trim: () => void (running = library.symbols.malloc_trim(0n)),
      close: () => void running.finally(() => library.close()),
    };
  } catch {
    return undefined; // another C library
  }
}
