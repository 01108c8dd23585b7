import { ChanceryError } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { listenToSignals } from "./signals.ts";

const INTERRUPTED = 130;

/** Options of {@linkcode runUntilTold}. */
export interface RunOptions<T extends AsyncDisposable> {
  readonly log: Logger;
  /** Starts the server; `signal` when it is told to end before it has started. */
  start(signal: AbortSignal): Promise<T>;
  /** It has started; what is given back is disposed of before the server is. */
  started(running: T): Disposable | void;
  /** SIGHUP. */
  reload?(running: T): void;
  /** It was told to end. */
  ending?(): void;
}

/**
 * Runs a server until SIGTERM or SIGINT, and gives the exit status; a second signal ends the process at once. Throws what keeps
 * it from starting.
 */
export async function runUntilTold<T extends AsyncDisposable>(options: RunOptions<T>): Promise<number> {
  const { log } = options;
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stop.signal.addEventListener("abort", () => resolve(), { once: true })
  );
  let running: T | undefined;
  using _signals = listenToSignals({
    reload: () => void (running && options.reload?.(running)),
    stop(signal) {
      log.info("Shutting down", { signal });
      options.ending?.();
      stop.abort(new ChanceryError("unavailable", `Ended by ${signal}`));
    },
    stopNow(signal) {
      log.warn("Ending at once", { signal });
      Deno.exit(INTERRUPTED);
    },
  });
  try {
    running = await options.start(stop.signal);
    const meanwhile = options.started(running);
    try {
      await stopped;
    } finally {
      meanwhile?.[Symbol.dispose]();
      await running[Symbol.asyncDispose]();
    }
    log.info("Ended");
    return 0;
  } catch (thrown) {
    if (stop.signal.aborted && thrown === stop.signal.reason) return 0;
    throw thrown;
  }
}
