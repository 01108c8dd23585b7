/**
 * What comes of a body until the signal, with whose reason it fails then. In Deno 2.9.6 a body that is being read goes on for ever after
 * the signal of its `fetch`, once the garbage collector has taken the Response that it came with; so it is ended here.
 */
export async function* bytesUntil(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body.getReader();
  const end = () => void reader.cancel(signal.reason).catch(() => {}); // it is over, whatever the stream says to that
  signal.addEventListener("abort", end);
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) yield piece.value;
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}
