import { ConnectionLost, HttpConnection, type HttpResponse, type HttpTarget } from "./http_connection.ts";

/** Options of {@linkcode startLoad}. */
export interface LoadOptions {
  readonly target: HttpTarget;
  /** Path of each request; `/` when absent. */
  readonly path?: string;
  readonly host?: string;
  /** Clients that keep their connection as long as the server allows. Default 3, each about 150 requests a second. */
  readonly keepAlive?: number;
  /** Clients that make a connection for each request. Default 2, each about 50 requests a second. */
  readonly fresh?: number;
  /** What is wrong with a response, if anything. By default all but 200 is. */
  readonly check?: (response: HttpResponse) => string | undefined;
}

/** What a load came to. */
export interface LoadReport {
  /** Answered requests, good or bad, and lost ones. */
  readonly requests: number;
  /** Wrong answers, refused and cut connections, requests that waited too long. */
  readonly failed: number;
  /** The first ten of them. */
  readonly failures: readonly string[];
  /**
   * Requests on a used connection that ended without a byte of a response. HTTP/1.1 lets a server close an idle connection
   * at any time, and the client then asks again (RFC 9112, 9.3.1); so it is no failure, but a server that announces it by
   * `connection: close` causes none.
   */
  readonly stale: number;
  /** Connections that the server ended politely, by `connection: close` in a good answer. */
  readonly closed: number;
  /** How often each body came. */
  readonly bodies: ReadonlyMap<string, number>;
}

/** A constant load on one target, until it is stopped. */
export class Load implements AsyncDisposable {
  requests = 0;
  failed = 0;
  stale = 0;
  closed = 0;
  readonly failures: string[] = [];
  readonly bodies = new Map<string, number>();
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[] = [];
  #stopped = false;

  constructor(options: LoadOptions) {
    this.#options = options;
    for (let i = 0; i < (options.keepAlive ?? 3); i++) this.#clients.push(this.#client(true, 6));
    for (let i = 0; i < (options.fresh ?? 2); i++) this.#clients.push(this.#client(false, 20));
  }

  /** Waits for what is under way and tells what happened. */
  async stop(): Promise<LoadReport> {
    this.#stopped = true;
    await Promise.all(this.#clients);
    const { requests, failed, failures, stale, closed, bodies } = this;
    return { requests, failed, failures, stale, closed, bodies };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #client(keepAlive: boolean, pauseMs: number): Promise<void> {
    let connection: HttpConnection | undefined;
    try {
      while (!this.#stopped) {
        connection = await this.#request(connection, keepAlive);
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    } finally {
      connection?.close();
    }
  }

  /** One request that counts, on the given connection or a new one; gives back the connection if it can be used again. */
  async #request(used: HttpConnection | undefined, keepAlive: boolean): Promise<HttpConnection | undefined> {
    const { target, path = "/", host = "test", check = refuseAllBut200 } = this.#options;
    this.requests++;
    let connection = used;
    const what = used ? "kept connection" : "fresh connection";
    try {
      connection ??= await HttpConnection.open(target);
      const response = await connection.get(path, { host, close: !keepAlive });
      this.bodies.set(response.body, (this.bodies.get(response.body) ?? 0) + 1);
      const wrong = check(response);
      if (wrong !== undefined) this.#fail(`${what}: ${wrong}`);
      if (connection.reusable) return connection;
      if (keepAlive) this.closed++;
      connection.close();
      return undefined;
    } catch (error) {
      connection?.close();
      if (used && error instanceof ConnectionLost && error.beforeResponse) {
        this.stale++;
        this.requests--;
        return await this.#request(undefined, keepAlive);
      }
      this.#fail(`${what}: ${error instanceof Error ? error.message : error}`);
      return undefined;
    }
  }

  #fail(text: string): void {
    this.failed++;
    if (this.failures.length < 10) this.failures.push(text);
  }
}

function refuseAllBut200({ status, body }: HttpResponse): string | undefined {
  return status === 200 ? undefined : `status ${status}: ${body.slice(0, 100)}`;
}

/** Starts a constant load; see {@linkcode Load}. */
export function startLoad(options: LoadOptions): Load {
  return new Load(options);
}
