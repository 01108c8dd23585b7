import { ChanceryError } from "../../../base/mod.ts";
import { type Lease, leaseBody, type LeaseContent, parseLease } from "./lease.ts";

/** What is needed of a connection to the API server. */
export interface LeaseConnection {
  /** Throws `ChanceryError`s: `not-found`, `conflict`, `forbidden`, `unavailable`. */
  request(path: string, init?: {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly query?: Readonly<Record<string, string>>;
    readonly signal?: AbortSignal;
    readonly timeoutMs?: number;
    /** What is being done, for messages. */
    readonly doing?: string;
  }): Promise<Response>;
}

/** Options of {@linkcode LeaseClient}. */
export interface LeaseClientOptions {
  readonly connection: LeaseConnection;
  readonly namespace: string;
  /** For each request, in milliseconds. */
  readonly timeoutMs: number;
}

/** Reads and writes the Leases of one namespace. */
export class LeaseClient {
  readonly namespace: string;
  readonly #connection: LeaseConnection;
  readonly #timeoutMs: number;

  constructor({ connection, namespace, timeoutMs }: LeaseClientOptions) {
    this.#connection = connection;
    this.namespace = namespace;
    this.#timeoutMs = timeoutMs;
  }

  async get(name: string): Promise<Lease | undefined> {
    try {
      return read(await this.#request(this.#path(name), { doing: `read ${this.#shown(name)}` }));
    } catch (thrown) {
      if (thrown instanceof ChanceryError && thrown.code === "not-found") return undefined;
      throw thrown;
    }
  }

  /** Those with these labels. */
  async list(labelSelector: string): Promise<readonly Lease[]> {
    const list: unknown = await this.#request(this.#path(), {
      query: { labelSelector },
      doing: `list Leases in namespace ${JSON.stringify(this.namespace)}`,
    });
    const items = typeof list === "object" && list !== null && "items" in list ? list.items : undefined;
    return Array.isArray(items) ? items.flatMap((item) => parseLease(item) ?? []) : [];
  }

  /** Throws `conflict` when there is one of that name by now. */
  async create(name: string, content: LeaseContent): Promise<Lease> {
    const body = leaseBody(content, { name, namespace: this.namespace });
    return read(await this.#request(this.#path(), { method: "POST", body, doing: `create ${this.#shown(name)}` }));
  }

  /** Throws `conflict` when it is no longer as it was read, and `not-found` when it is gone. */
  async replace(before: Lease, content: LeaseContent): Promise<Lease> {
    const body = leaseBody(content, { name: before.name, namespace: this.namespace, before });
    return read(
      await this.#request(this.#path(before.name), { method: "PUT", body, doing: `renew ${this.#shown(before.name)}` }),
    );
  }

  /** Removes it unless it is no longer as it was read. */
  async remove({ name, uid, resourceVersion }: Lease): Promise<void> {
    const body = { apiVersion: "v1", kind: "DeleteOptions", preconditions: { uid, resourceVersion } };
    try {
      await this.#request(this.#path(name), { method: "DELETE", body, doing: `remove ${this.#shown(name)}` });
    } catch (thrown) {
      if (thrown instanceof ChanceryError && (thrown.code === "not-found" || thrown.code === "conflict")) return;
      throw thrown;
    }
  }

  async #request(
    path: string,
    { method = "GET", body, query, doing }: {
      readonly doing: string;
      readonly method?: string;
      readonly body?: Readonly<Record<string, unknown>>;
      readonly query?: Readonly<Record<string, string>>;
    },
  ): Promise<unknown> {
    const response = await this.#connection.request(path, {
      method,
      timeoutMs: this.#timeoutMs,
      doing,
      ...(query && { query }),
      ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
    return await response.json();
  }

  #shown(name: string): string {
    return `Lease ${JSON.stringify(`${this.namespace}/${name}`)}`;
  }

  #path(name?: string): string {
    const all = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(this.namespace)}/leases`;
    return name === undefined ? all : `${all}/${encodeURIComponent(name)}`;
  }
}

function read(value: unknown): Lease {
  const lease = parseLease(value);
  if (!lease) throw new ChanceryError("unavailable", "Cannot read what the API server says of a Lease: it is none");
  return lease;
}
