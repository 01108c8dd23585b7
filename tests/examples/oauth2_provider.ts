import type { IssuedCertificate } from "../certificates.ts";

/** The one client that a provider knows. */
export interface OAuth2Client {
  readonly id: string;
  readonly secret: string;
}

/** A small identity provider: whoever comes is logged in at once. It gives out codes, and for each, once, a token. */
export class OAuth2Provider implements AsyncDisposable {
  readonly port: number;
  /** What was given out last. */
  token = "";
  /** Why requests for tokens were turned down. */
  readonly refusals: string[] = [];
  readonly #client: OAuth2Client;
  /** The redirect URI that each code is good for. */
  readonly #codes = new Map<string, string>();
  readonly #server: Deno.HttpServer<Deno.NetAddr>;

  constructor(certificate: IssuedCertificate, client: OAuth2Client) {
    this.#client = client;
    this.#server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {}, cert: certificate.cert, key: certificate.key },
      (request) => this.#answer(request),
    );
    this.port = this.#server.addr.port;
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (request.method === "GET" && pathname === "/authorize") return this.#authorize(searchParams);
    if (request.method === "POST" && pathname === "/token") return this.#giveToken(request);
    await request.body?.cancel();
    return new Response(null, { status: 404 });
  }

  #authorize(asked: URLSearchParams): Response {
    const redirect = asked.get("redirect_uri");
    if (asked.get("client_id") !== this.#client.id || asked.get("response_type") !== "code" || !redirect) {
      return new Response(`not to be authorized: ${asked}`, { status: 400 });
    }
    const code = crypto.randomUUID();
    this.#codes.set(code, redirect);
    const back = new URL(redirect);
    back.searchParams.set("code", code);
    back.searchParams.set("state", asked.get("state") ?? "");
    return new Response(null, { status: 302, headers: { location: String(back) } });
  }

  async #giveToken(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text());
    const code = form.get("code") ?? "";
    const wrong = form.get("client_id") !== this.#client.id
      ? "client_id"
      : form.get("client_secret") !== this.#client.secret
      ? "client_secret"
      : form.get("grant_type") !== "authorization_code"
      ? "grant_type"
      : this.#codes.get(code) !== form.get("redirect_uri")
      ? "code or redirect_uri"
      : undefined;
    if (wrong !== undefined) {
      this.refusals.push(wrong);
      return Response.json({ error: "invalid_request", error_description: wrong }, { status: 400 });
    }
    this.#codes.delete(code);
    this.token = crypto.randomUUID();
    return Response.json({ access_token: this.token, token_type: "Bearer", expires_in: 600 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.shutdown();
  }
}
