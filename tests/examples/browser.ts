/** As much of a browser as a login needs: it keeps cookies, and follows a redirect when it is told to. */
export class Browser implements Disposable {
  readonly #client: Deno.HttpClient;
  readonly #cookies = new Map<string, string>();

  /** `caCerts` are the authorities it trusts, PEM. */
  constructor(caCerts: readonly string[]) {
    this.#client = Deno.createHttpClient({ caCerts: [...caCerts] });
  }

  /** One request. */
  async get(url: string, headers: Readonly<Record<string, string>> = {}): Promise<BrowserResponse> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      client: this.#client,
      redirect: "manual",
      headers: { ...headers, ...(cookie === "" ? {} : { cookie }) },
      signal: AbortSignal.timeout(30_000),
    });
    for (const line of response.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    const location = response.headers.get("location");
    return { status: response.status, body: await response.text(), ...(location === null ? {} : { location }) };
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** Answer to one request of a {@linkcode Browser}. */
export interface BrowserResponse {
  readonly status: number;
  readonly body: string;
  /** Where it is sent to. */
  readonly location?: string;
}
