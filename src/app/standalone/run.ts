import { ChanceryError, errorMessage } from "../../base/mod.ts";
import { createLogger, type Logger } from "../../telemetry/mod.ts";
import { type Notifier, openNotifier } from "./notify.ts";
import type { StandaloneHost, StandaloneOptions } from "./options.ts";
import { listenToSignals } from "./signals.ts";
import { type RunningStandalone, startStandalone } from "./standalone.ts";

const INTERRUPTED = 130;

/**
 * Runs a standalone until it is told to end, and gives the exit status. Throws what keeps it from starting.
 */
export async function runStandalone(options: StandaloneOptions, host: StandaloneHost): Promise<number> {
  const log = loggerOf(options, host);
  const notifier = openNotifier({ env: host.env, pid: Deno.pid, onFailure: (message) => log.warn(message) });
  const stop = new AbortController();
  const stopped = new Promise<void>((resolve) =>
    stop.signal.addEventListener("abort", () => resolve(), { once: true })
  );
  let running: RunningStandalone | undefined;
  using _signals = listenToSignals({
    reload: () => void (running && reload(running, { log, notifier })),
    stop(signal) {
      log.info("Shutting down", { signal });
      notifier.send("STOPPING=1");
      stop.abort(new ChanceryError("unavailable", `Ended by ${signal}`));
    },
    stopNow(signal) {
      log.warn("Ending at once", { signal });
      Deno.exit(INTERRUPTED);
    },
  });
  try {
    running = await startStandalone(options, { host, log, signal: stop.signal });
    const { addresses, nodes } = running;
    log.info("Ready", { ...addresses, nodes, config: options.config, data: options.data });
    notifier.send("READY=1", `STATUS=${readyText(running)}`);
    const watchdog = startWatchdog(notifier);
    try {
      await stopped;
    } finally {
      clearInterval(watchdog);
      await running[Symbol.asyncDispose]();
    }
    log.info("Ended");
    return 0;
  } catch (thrown) {
    if (stop.signal.aborted && thrown === stop.signal.reason) return 0;
    throw thrown;
  } finally {
    notifier.close();
  }
}

async function reload(
  running: RunningStandalone,
  { log, notifier }: { log: Logger; notifier: Notifier },
): Promise<void> {
  log.info("Reading the directory again", { signal: "SIGHUP" });
  notifier.reloading();
  try {
    await running.rescan();
  } catch (thrown) {
    log.error("Cannot read the directory again", { error: errorMessage(thrown) });
  }
  notifier.send("READY=1", `STATUS=${readyText(running)}`);
}

function readyText({ nodes, addresses }: RunningStandalone): string {
  return `Serving ${nodes} node ids on ${addresses.xds}`;
}

/** Half of what the service manager waits, as it asks for. A process whose event loop stands still sends nothing. */
function startWatchdog(notifier: Notifier): ReturnType<typeof setInterval> | undefined {
  if (notifier.watchdogUsec === undefined) return undefined;
  return setInterval(() => notifier.send("WATCHDOG=1"), notifier.watchdogUsec / 2000);
}

function loggerOf({ logFormat, logLevel }: StandaloneOptions, host: StandaloneHost): Logger {
  const format = logFormat === "auto" ? host.terminal.err ? "console" : "json" : logFormat;
  return createLogger({
    format,
    level: logLevel,
    color: host.color.err,
    now: Date.now,
    write: (line) => host.err(line),
  });
}
