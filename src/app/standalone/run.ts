import { errorMessage } from "../../base/mod.ts";
import type { Logger } from "../../telemetry/mod.ts";
import { processLogger, runUntilTold, type ServerHost } from "../process/mod.ts";
import { type Notifier, openNotifier } from "./notify.ts";
import type { StandaloneOptions } from "./options.ts";
import { type RunningStandalone, startStandalone } from "./standalone.ts";

/**
 * Runs a standalone until it is told to end, and gives the exit status. Throws what keeps it from starting.
 */
export async function runStandalone(options: StandaloneOptions, host: ServerHost): Promise<number> {
  const log = processLogger(options, host);
  const notifier = openNotifier({ env: host.env, pid: Deno.pid, onFailure: (message) => log.warn(message) });
  try {
    return await runUntilTold({
      log,
      start: (signal) => startStandalone(options, { host, log, signal }),
      started(running) {
        const { addresses, nodes } = running;
        log.info("Ready", { ...addresses, nodes, config: options.config, data: options.data });
        notifier.send("READY=1", `STATUS=${readyText(running)}`);
        const watchdog = startWatchdog(notifier);
        return { [Symbol.dispose]: () => clearInterval(watchdog) };
      },
      reload: (running) => void reload(running, { log, notifier }),
      ending: () => notifier.send("STOPPING=1"),
    });
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
