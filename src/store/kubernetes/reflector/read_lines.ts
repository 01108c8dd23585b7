import type { Clock } from "../../../base/mod.ts";
import { Lines } from "./lines.ts";

/**
 * Hands each line of a body to `onLine` until that returns something, which is the result; `undefined` when the body ends
 * first. `onSilence` is called when nothing came for `idleMs`; whether that ends the body is its business. Fails with the reason of
 * the signal when that comes: in Deno 2.9.6 a body that is being read goes on for ever after the signal of its `fetch`, once the
 * garbage collector has taken the Response that it came with.
 */
export async function readLines<T>(
  body: ReadableStream<Uint8Array>,
  { onLine, onSilence, idleMs, clock, signal }: {
    readonly onLine: (line: string) => T | undefined;
    readonly onSilence: () => void;
    readonly idleMs: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<T | undefined> {
  const lines = new Lines();
  let heardAt = clock.monotonic();
  let cancel = () => {};
  // one timer for many bytes: it looks at the clock when it falls due
  const watchSilence = () => {
    const left = heardAt + idleMs - clock.monotonic();
    if (left <= 0) onSilence();
    else cancel = clock.after(left, watchSilence);
  };
  watchSilence();
  const reader = body.getReader();
  const end = () => void reader.cancel(signal.reason).catch(() => {}); // it is over, whatever the stream says to that
  signal.addEventListener("abort", end);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) {
        signal.throwIfAborted();
        return undefined;
      }
      heardAt = clock.monotonic();
      for (const line of lines.take(value)) {
        const result = onLine(line);
        if (result !== undefined) return result;
      }
    }
  } finally {
    cancel();
    signal.removeEventListener("abort", end);
    end();
  }
}
