import {
  type Configuration,
  createConfiguration,
  HttpMethod,
  type RequestContext,
  ResponseContext,
  ServerConfiguration,
  wrapHttpLibrary,
} from "@kubernetes/client-node";
import { ChanceryError, type Clock } from "../../../base/mod.ts";
import type { Logger, Metrics } from "../../../telemetry/mod.ts";
import { pause } from "../pause.ts";
import type { Access } from "./access.ts";
import { apiError, type Asked } from "./api_error.ts";
import { Credentials } from "./credentials.ts";
import { HttpClients } from "./http_clients.ts";
import { findAccess, type KubeconfigOptions } from "./kubeconfig.ts";
import { networkError, timeoutError } from "./network_error.ts";
import { pauseBeforeRetry, retryAfterMs } from "./retry_after.ts";
import { type Route, routeTo } from "./route.ts";

/** An API class of `@kubernetes/client-node`, e.g. `CoordinationV1Api`. */
export type ApiClass<T> = new (configuration: Configuration) => T;

/** One request of {@linkcode KubeConnection.request}. */
export interface RequestOptions {
  /** Default `GET`. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly signal?: AbortSignal | undefined;
  /** Until the answer is there as a whole, pauses and repetitions included; for a stream until it begins. Default 30,000. */
  readonly timeoutMs?: number;
  /** Hand out the body as it comes, instead of reading it first. */
  readonly stream?: boolean;
  /** What is being done, for messages: `list Secret in namespace "demo"`. Default method and path. */
  readonly doing?: string;
  /** Request or answer holds secret bytes: nothing of them may come into a message. */
  readonly secret?: boolean;
}

/** A way to one API server, with credentials that stay fresh. */
export interface KubeConnection extends AsyncDisposable {
  /** Address of the API server. */
  readonly server: string;
  /** Namespace of the context or of the pod; `default` when it has none. */
  readonly namespace: string;
  /** Where address and credentials come from, for people. */
  readonly source: string;
  /** A typed API class of the Kubernetes library over this connection; its failures are `ChanceryError`s as well. */
  api<T>(Type: ApiClass<T>): T;
  /** One request; resolves with an answer of the 200s or fails with an `ApiError` or another `ChanceryError`. */
  request(path: string, options?: RequestOptions): Promise<Response>;
}

/** Options of {@linkcode connect}. */
export interface ConnectOptions extends KubeconfigOptions {
  readonly clock: Clock;
  /** A number in [0, 1), for the jitter of pauses; `Math.random` when absent. */
  readonly random?: () => number;
  /** Is told which API server is meant. */
  readonly log?: Logger;
  readonly metrics?: Metrics;
}

const TIMEOUT_MS = 30_000;

/** Finds the cluster (see {@linkcode findAccess}) and prepares connections to it. Asks it nothing yet. */
// deno-lint-ignore require-await -- a failure is a rejection for every caller
export async function connect(options: ConnectOptions): Promise<KubeConnection> {
  const connection = new Connection(findAccess(options), options);
  options.log?.info("Using the API server", { server: connection.server, source: connection.source });
  return connection;
}

class Connection implements KubeConnection {
  readonly server: string;
  readonly namespace: string;
  readonly source: string;
  readonly #options: ConnectOptions;
  readonly #route: Route;
  readonly #credentials: Credentials;
  readonly #clients: HttpClients;
  readonly #closed = new AbortController();

  constructor(access: Access, options: ConnectOptions) {
    this.#route = routeTo(access);
    this.server = shownAddress(access.server);
    this.namespace = access.namespace;
    this.source = access.source;
    this.#options = options;
    this.#credentials = new Credentials(access, options.clock);
    this.#clients = new HttpClients(this.#route);
  }

  api<T>(Type: ApiClass<T>): T {
    return new Type(createConfiguration({
      baseServer: new ServerConfiguration(this.#route.base, {}),
      httpApi: wrapHttpLibrary({ send: (request) => this.#sendTyped(request) }),
    }));
  }

  async request(path: string, options: RequestOptions = {}): Promise<Response> {
    const { clock, random = Math.random } = this.#options;
    const { method = "GET", timeoutMs = TIMEOUT_MS, signal } = options;
    const asked: Asked = {
      doing: options.doing ?? `${method} ${path}`,
      server: this.server,
      ...(options.secret ? { secret: true } : {}),
    };
    const end = clock.monotonic() + timeoutMs;
    for (let tries = 1, renewed = false;; tries++) {
      const began = clock.monotonic();
      const response = await this.#once(path, { ...options, method, timeoutMs: end - began }, asked);
      this.#measure(method, response.status, clock.monotonic() - began);
      if (response.ok) return response;
      if (response.status === 401 && !renewed) {
        renewed = true;
        this.#credentials.renew();
        await response.body?.cancel();
        continue;
      }
      const retryAfter = retryAfterMs(response.headers.get("retry-after"), clock.now());
      const answer = { status: response.status, retryAfterMs: retryAfter };
      const pauseMs = pauseBeforeRetry(answer, { tries, leftMs: end - clock.monotonic(), random: random() });
      if (pauseMs === undefined) {
        throw apiError({ ...answer, body: await response.text() }, asked);
      }
      await response.body?.cancel();
      await pause(pauseMs, { clock, signals: [this.#closed.signal, signal] });
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closed.abort(new ChanceryError("unavailable", "Cannot ask the API server: the connection is closed"));
    this.#clients[Symbol.dispose]();
    return Promise.resolve();
  }

  /** One try. A body that is no stream is read as a whole, so that the time limit covers it. */
  async #once(
    path: string,
    { query = {}, method, headers, body, signal, timeoutMs, stream }: RequestOptions & { timeoutMs: number },
    asked: Asked,
  ): Promise<Response> {
    signal?.throwIfAborted();
    this.#closed.signal.throwIfAborted();
    const identity = await this.#credentials.current();
    const client = this.#clients.for(identity);
    const url = new URL(`${this.#route.base}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    const sent = new Headers({ accept: "application/json", "user-agent": "chancery", ...headers });
    for (const [name, value] of identity.headers) sent.append(name, value);
    const late = new AbortController();
    const cancel = this.#options.clock.after(timeoutMs, () => late.abort());
    const signals = [late.signal, this.#closed.signal, ...(signal ? [signal] : [])];
    try {
      const response = await fetch(url, {
        method: method ?? "GET",
        headers: sent,
        ...(body === undefined ? {} : { body }),
        signal: AbortSignal.any(signals),
        client,
        redirect: "error",
      });
      if (stream && response.ok) return response;
      const { status, statusText } = response;
      const bytes = await response.arrayBuffer();
      const empty = status === 204 || status === 304;
      return new Response(empty ? null : bytes, { status, statusText, headers: response.headers });
    } catch (thrown) {
      if (signal?.aborted) throw signal.reason;
      if (this.#closed.signal.aborted) throw this.#closed.signal.reason;
      this.#measure(method ?? "GET", 0, 0);
      this.#clients.renew(); // other idle connections may be as dead as this one
      throw late.signal.aborted ? timeoutError(asked, timeoutMs) : networkError(thrown, asked);
    } finally {
      cancel();
    }
  }

  async #sendTyped(request: RequestContext): Promise<ResponseContext> {
    const url = new URL(request.getUrl());
    const body: unknown = request.getBody();
    const response = await this.request(
      url.pathname.slice(new URL(this.#route.base).pathname.replace(/\/$/, "").length),
      {
        method: request.getHttpMethod() ?? HttpMethod.GET,
        headers: request.getHeaders(),
        query: Object.fromEntries(url.searchParams),
        ...(typeof body === "string" ? { body } : {}),
        ...(request.getSignal() ? { signal: request.getSignal() } : {}),
        secret: /\/secrets(\/|$)/.test(url.pathname),
      },
    );
    const { status, headers } = response;
    return new ResponseContext(status, Object.fromEntries(headers), {
      text: () => response.text(),
      binary: () => Promise.reject(new TypeError("The typed classes are used for JSON only")),
      stream: () => null,
    });
  }

  #measure(method: string, status: number, ms: number): void {
    const { metrics } = this.#options;
    metrics?.count("chancery_kubernetes_requests_total", { method, code: status === 0 ? "none" : String(status) });
    if (status !== 0) metrics?.observe("chancery_kubernetes_request_duration_seconds", { method }, ms / 1000);
  }
}

function shownAddress(server: string): string {
  const url = new URL(server);
  return `${url.protocol}//${url.host}${url.pathname === "/" ? "" : url.pathname}`;
}
