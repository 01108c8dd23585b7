import { type Clock, errorMessage, wait } from "../../base/mod.ts";

/** How often it is looked whether the file has come. */
const LOOK_EVERY_MS = 500;

/** What the PEM parsers of Envoy take for a certificate. */
const CERTIFICATE = /-----BEGIN (TRUSTED |X509 )?CERTIFICATE-----[^-]+-----END \1CERTIFICATE-----/;

/** Options of {@linkcode awaitCertificates}. */
export interface AwaitOptions {
  readonly clock: Clock;
  /** Milliseconds that the file may take; with 0 it is looked at once. */
  readonly timeoutMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Is told once, with what is wrong, when there is something to wait for. */
  waits(reason: string): void;
}

/**
 * Waits until a file holds a certificate: an Envoy that starts before what it verifies its control plane by never recovers
 * (S1). Gives what is wrong when time runs out or the signal comes.
 */
export async function awaitCertificates(path: string, options: AwaitOptions): Promise<string | undefined> {
  const { clock, timeoutMs, signal } = options;
  const end = clock.monotonic() + timeoutMs;
  for (let told = false;; told = true) {
    const reason = await whyUnusable(path);
    if (reason === undefined) return undefined;
    const left = end - clock.monotonic();
    if (left <= 0) return reason;
    if (!told) options.waits(reason);
    if (!await wait(Math.min(LOOK_EVERY_MS, left), { clock, signals: [signal] })) return reason;
  }
}

async function whyUnusable(path: string): Promise<string | undefined> {
  try {
    return CERTIFICATE.test(await Deno.readTextFile(path)) ? undefined : "it holds no certificate";
  } catch (thrown) {
    return thrown instanceof Deno.errors.NotFound ? "it is not there" : errorMessage(thrown);
  }
}
