/** A server behind Envoy that answers every request with its name, and counts them. */
export class Upstream implements AsyncDisposable {
  readonly name: string;
  readonly port: number;
  requests = 0;
  /** Answer to `/healthz`; anything but 200 lets a health check fail. */
  health = 200;
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(name: string, tls?: { readonly cert: string; readonly key: string }) {
    this.name = name;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, ...tls },
      (request) => {
        if (new URL(request.url).pathname === "/healthz") return new Response(null, { status: this.health });
        this.requests++;
        return new Response(this.name, { headers: { "content-type": "text/plain" } });
      },
    );
    this.port = this.#server.addr.port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}

/** Starts an {@linkcode Upstream}, with TLS when a certificate is given. */
export function startUpstream(name: string, tls?: { readonly cert: string; readonly key: string }): Upstream {
  return new Upstream(name, tls);
}
