import { parse } from "yaml";

/** An object of the API, as far as every object looks alike. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

/** A refusal by the API server. */
export class KubeError extends Error {
  override readonly name = "KubeError";
  /** HTTP status. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Options of {@linkcode KubeClient.request}. */
export interface RequestOptions {
  readonly body?: unknown;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
}

interface Kubeconfig {
  readonly "current-context": string;
  readonly contexts: readonly { name: string; context: { cluster: string; user: string } }[];
  readonly clusters: readonly {
    name: string;
    cluster: { server: string; "certificate-authority-data"?: string; "certificate-authority"?: string };
  }[];
  readonly users: readonly {
    name: string;
    user: Partial<Record<`client-${"certificate" | "key"}${"" | "-data"}` | "token", string>>;
  }[];
}

/** No request but a watch takes longer. */
const REQUEST_TIMEOUT_MS = 10_000;

/** Requests to an API server, by certificate or token. */
export class KubeClient implements Disposable {
  /** `https://HOST:PORT`. */
  readonly server: string;
  readonly #client: Deno.HttpClient;
  readonly #headers: Readonly<Record<string, string>>;

  private constructor(server: string, client: Deno.HttpClient, headers: Readonly<Record<string, string>>) {
    this.server = server;
    this.#client = client;
    this.#headers = headers;
  }

  /** A client for the current context of a kubeconfig. */
  static async open(path: string): Promise<KubeClient> {
    // The file is the control plane's own, made by the test.
    const config = parse(await Deno.readTextFile(path)) as Kubeconfig;
    const context = config.contexts.find(({ name }) => name === config["current-context"])?.context;
    const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
    const user = config.users.find(({ name }) => name === context?.user)?.user;
    if (!cluster || !user) throw new Error(`Cannot use kubeconfig ${JSON.stringify(path)}: its context is incomplete`);
    const read = async (data?: string, file?: string) =>
      data !== undefined ? atob(data) : file !== undefined ? await Deno.readTextFile(file) : undefined;
    const ca = await read(cluster["certificate-authority-data"], cluster["certificate-authority"]);
    const cert = await read(user["client-certificate-data"], user["client-certificate"]);
    const key = await read(user["client-key-data"], user["client-key"]);
    const client = Deno.createHttpClient({
      ...(ca === undefined ? {} : { caCerts: [ca] }),
      ...(cert === undefined || key === undefined ? {} : { cert, key }),
    });
    const headers = { accept: "application/json", ...(user.token ? { authorization: `Bearer ${user.token}` } : {}) };
    return new KubeClient(cluster.server, client, headers);
  }

  /** One request; gives back the document. @throws {KubeError} when it is refused */
  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const timeout = AbortSignal.timeout(REQUEST_TIMEOUT_MS);
    const response = await this.fetch(method, path, {
      ...options,
      signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
    });
    // What comes is what the API promises for this path.
    return await response.json() as T;
  }

  /** The answer itself, for streams. @throws {KubeError} when it is refused */
  async fetch(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { body, contentType = "application/json", signal } = options;
    const response = await fetch(`${this.server}${path}`, {
      method,
      client: this.#client,
      headers: { ...this.#headers, ...(body === undefined ? {} : { "content-type": contentType }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    if (response.ok) return response;
    const text = await response.text();
    throw new KubeError(response.status, `Cannot ${method} ${path}: ${response.status} ${messageOf(text)}`);
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}

/** The sentence in a Status document, or the text itself. */
function messageOf(text: string): string {
  try {
    return JSON.parse(text).message ?? text;
  } catch {
    return text.slice(0, 500);
  }
}
