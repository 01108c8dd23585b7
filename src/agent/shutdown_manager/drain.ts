import { backoffDelay, type Clock, wait } from "../../base/mod.ts";
import type { Answer } from "./envoy_admin.ts";

/** What a drain asks of Envoy. */
export interface DrainedEnvoy {
  failHealthCheck(signal: AbortSignal): Promise<Answer<string>>;
  connections(signal: AbortSignal): Promise<Answer<number>>;
}

/** Options of {@linkcode drain}; times in milliseconds. */
export interface DrainOptions {
  readonly envoy: DrainedEnvoy;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Before Envoy is told. */
  readonly startDelay: number;
  /** After Envoy is told, before it may be taken for idle: until nobody sends new connections here any more. */
  readonly settleTime: number;
  /** Between two looks. */
  readonly interval: number;
  /** So many connections may be left. */
  readonly minOpenConnections: number;
  /** Told of each step, in words. */
  log(message: string, fields?: Readonly<Record<string, string | number>>): void;
}

/** How often Envoy is told, when it does not answer. */
const TELLS = 4;
/** An Envoy that nobody answers for this often in a row has ended. */
const GONE_AFTER = 3;

/**
 * Tells Envoy to send its clients away, and waits until they have gone. Ends when so few are left as may be, or when
 * Envoy has ended;
 * fails only with the signal's reason. How long it may take is for the kubelet to say.
 */
export async function drain(options: DrainOptions): Promise<void> {
  const { envoy, clock, signal, log } = options;
  await pause(options.startDelay, options);
  const told = clock.monotonic();
  for (let tries = 1; tries <= TELLS; tries++) {
    const answer = await envoy.failHealthCheck(signal);
    if (answer.kind === "said") break;
    log("Envoy cannot be told to drain", { error: answer.why, tries });
    if (tries < TELLS) await pause(backoffDelay(tries, { baseMs: 200, maxMs: 5_000 }), options);
  }
  let gone = 0;
  let before = -1;
  while (true) {
    const answer = await envoy.connections(signal);
    signal.throwIfAborted();
    gone = answer.kind === "gone" ? gone + 1 : 0;
    if (gone >= GONE_AFTER) return log("Envoy has ended");
    if (answer.kind !== "said") log("Envoy does not say how many are connected", { error: answer.why });
    else {
      if (answer.value !== before) log("Waiting for connections to end", { connections: answer.value });
      before = answer.value;
      const settled = clock.monotonic() - told >= options.settleTime;
      if (settled && answer.value <= options.minOpenConnections) {
        return log("Envoy has drained", { connections: answer.value });
      }
    }
    const untilSettled = options.settleTime - (clock.monotonic() - told);
    await pause(untilSettled > 0 ? Math.min(untilSettled, options.interval) : options.interval, options);
  }
}

/** Fails at once when the signal comes. */
async function pause(ms: number, { clock, signal }: Pick<DrainOptions, "clock" | "signal">): Promise<void> {
  await wait(ms, { clock, signals: [signal] });
  signal.throwIfAborted();
}
