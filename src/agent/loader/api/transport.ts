/** One request: what `fetch` takes, as far as it is used here. */
export interface TransportRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** An answer, with its body still to be read. */
export interface TransportResponse {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: AsyncIterable<Uint8Array>;
}

/** How bytes get to the API server and back. */
export interface Transport extends Disposable {
  get(url: string, request: TransportRequest): Promise<TransportResponse>;
}

/** Verifies the server by these certificates besides the system's. */
export function verifiedTransport(caCerts: readonly string[]): Transport {
  const client = Deno.createHttpClient({ caCerts: [...caCerts] });
  return {
    async get(url, request) {
      const response = await fetch(url, { ...request, client, redirect: "error" });
      return {
        status: response.status,
        retryAfter: response.headers.get("retry-after"),
        body: response.body === null ? nothing() : bytesOf(response.body, request.signal),
      };
    },
    [Symbol.dispose]: () => client.close(),
  };
}

/**
 * What comes until the signal. In Deno 2.9.6 a body that is being read goes on for ever after the signal of its `fetch`, once the
 * garbage collector has taken the Response that it came with; so it is ended here.
 */
async function* bytesOf(body: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
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

async function* nothing(): AsyncGenerator<Uint8Array> {}
