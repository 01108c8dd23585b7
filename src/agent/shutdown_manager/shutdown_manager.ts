import { ChanceryError, type Clock, errorMessage } from "../../base/mod.ts";
import { createLogger, type Logger } from "../../telemetry/mod.ts";
import { agentClock } from "../agent_clock.ts";
import { everyAddress } from "../every_address.ts";
import { answerHook } from "./answer.ts";
import { drain } from "./drain.ts";
import { EnvoyAdmin } from "./envoy_admin.ts";
import { SharedDrain } from "./shared_drain.ts";

/** What a shutdown manager is started with; the command line's table makes it. Times in seconds. */
export interface ShutdownManagerOptions {
  readonly port: number;
  readonly envoyAdminAddress: string;
  readonly readyFile: string;
  readonly checkReadyInterval: number;
  readonly checkDrainInterval: number;
  readonly startDrainDelay: number;
  readonly checkDrainDelay: number;
  readonly minOpenConnections: number;
  readonly drainToken: string | undefined;
}

/** What a shutdown manager needs of the process around it. */
export interface ShutdownManagerHost {
  /** Gets log lines. */
  err(text: string): void;
}

/** How long the end waits for answers that are on their way. */
const CLOSE_MS = 1_000;

/**
 * Answers the hooks of a pod until SIGTERM or SIGINT, and gives the exit status. A drain that has begun is carried to
 * its end, since
 * others wait for it; a second signal ends it. Throws when the port cannot be had (C14).
 */
export async function runShutdownManager(options: ShutdownManagerOptions, host: ShutdownManagerHost): Promise<number> {
  const clock = agentClock;
  const log = createLogger({ now: () => clock.now(), write: (line) => host.err(line), level: "info" });
  const ending = new AbortController();
  const shared = new SharedDrain(() => drainEnvoy(options, { log, clock, signal: ending.signal }));
  await Deno.remove(options.readyFile).catch(() => {}); // of an earlier life
  const server = serve(options, { shared, signal: ending.signal });
  log.info("Ready", { port: options.port, envoy: options.envoyAdminAddress });
  await told(log, shared);
  ending.abort(new ChanceryError("unavailable", "The shutdown manager ends"));
  const cancel = clock.after(CLOSE_MS, () => Deno.exit(0));
  await server.shutdown();
  cancel();
  log.info("Ended");
  return 0;
}

function serve(
  { port, drainToken: token }: ShutdownManagerOptions,
  { shared, signal }: { shared: SharedDrain; signal: AbortSignal },
): Deno.HttpServer {
  try {
    return Deno.serve({ port, hostname: everyAddress(), onListen: () => {} }, (request, { remoteAddr }) => {
      const local = remoteAddr.transport === "tcp" && isLoopback(remoteAddr.hostname);
      return answerHook(request, { drain: shared, token, local, signal });
    });
  } catch (cause) {
    throw new ChanceryError("unavailable", `Cannot serve hooks on port ${port}: ${errorMessage(cause)}`, { cause });
  }
}

async function drainEnvoy(
  options: ShutdownManagerOptions,
  { log, clock, signal }: { log: Logger; clock: Clock; signal: AbortSignal },
): Promise<void> {
  await drain({
    envoy: new EnvoyAdmin(options.envoyAdminAddress),
    clock,
    signal,
    startDelay: options.startDrainDelay * 1_000,
    settleTime: options.checkDrainDelay * 1_000,
    interval: Math.max(options.checkDrainInterval, 0.1) * 1_000,
    minOpenConnections: options.minOpenConnections,
    log: (message, fields) => log.info(message, fields),
  });
  try {
    await Deno.writeTextFile(options.readyFile, "");
  } catch (thrown) {
    log.warn("The marker of the drain's end cannot be written", { error: errorMessage(thrown) });
  }
}

/** Resolves when the process is to end: told once while nothing drains, or when the drain has ended, or told again. */
async function told(log: Logger, shared: SharedDrain): Promise<void> {
  const end = new AbortController();
  const listener = () => {
    if (shared.state !== "draining" || waits) return end.abort();
    waits = true;
    log.info("Ending when the drain has ended");
    shared.ended(end.signal).then(() => end.abort());
  };
  let waits = false;
  const signals = ["SIGTERM", "SIGINT"] as const;
  for (const signal of signals) Deno.addSignalListener(signal, listener);
  await new Promise<void>((resolve) => end.signal.addEventListener("abort", () => resolve(), { once: true }));
  for (const signal of signals) Deno.removeSignalListener(signal, listener);
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./i.test(address);
}
