import { bytesUntil } from "../../../base/mod.ts";

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
        body: response.body === null ? nothing() : bytesUntil(response.body, request.signal),
      };
    },
    [Symbol.dispose]: () => client.close(),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
