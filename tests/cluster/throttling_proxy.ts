/** An HTTP door before an API server that turns requests away as an API server under load does. */
export class ThrottlingProxy implements AsyncDisposable {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #client: Deno.HttpClient;
  #left = 0;
  #retryAfterS = 0;
  /** Requests since {@linkcode throttle}, the refused ones included. */
  requests = 0;

  constructor(to: string, options: { readonly ca: string; readonly cert: string; readonly key: string }) {
    const { ca, cert, key } = options;
    this.#client = Deno.createHttpClient({ caCerts: [ca], cert, key });
    this.#server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
      this.requests++;
      if (this.#left-- > 0) return refusal(this.#retryAfterS);
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? null : await request.text();
      const answer = await fetch(`${to}${pathname}${search}`, { method, headers, body, client: this.#client });
      return new Response(answer.body, { status: answer.status, headers: answer.headers });
    });
  }

  get address(): string {
    return `http://127.0.0.1:${this.#server.addr.port}`;
  }

  /** Turns the next requests away. */
  throttle({ times, retryAfterS }: { readonly times: number; readonly retryAfterS: number }): void {
    this.#left = times;
    this.#retryAfterS = retryAfterS;
    this.requests = 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
    this.#client.close();
  }
}

function refusal(seconds: number): Response {
  const status = {
    kind: "Status",
    apiVersion: "v1",
    reason: "TooManyRequests",
    message: "too many requests",
    code: 429,
  };
  return Response.json(status, { status: 429, headers: { "retry-after": String(seconds) } });
}
