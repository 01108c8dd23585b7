import { bytesUntil, type Clock } from "../../../base/mod.ts";
import { Lines } from "./lines.ts";

/**
 * Hands each line of a body to `onLine` until that returns something, which is the result; `undefined` when the body ends
 * first. `onSilence` is called when nothing came for `idleMs`; whether that ends the body is its business. Fails with the reason of
 * the signal when that comes.
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
  try {
    for await (const bytes of bytesUntil(body, signal)) {
      heardAt = clock.monotonic();
      for (const line of lines.take(bytes)) {
        const result = onLine(line);
        if (result !== undefined) return result;
      }
    }
    return undefined;
  } finally {
    cancel();
  }
}
