import { createPrivateKey, X509Certificate } from "node:crypto";
import { ChanceryError } from "../../../base/mod.ts";
import type { Identity } from "./credentials.ts";
import type { Route } from "./route.ts";

/** Unused connections that are kept for the next request. */
const IDLE_CONNECTIONS = 8;
const IDLE_MS = 30_000;
const NO_PROXY = ["NO_PROXY", "no_proxy"];

/**
 * The HTTP client for an identity; a new one when certificates change, or when connections of the old one may be dead.
 * Answers that are on their way finish on the old one. HTTP/1.1 only: on a shared HTTP/2 connection a broken network would
 * hold up every request, and there is no ping to notice it.
 */
export class HttpClients implements Disposable {
  readonly #route: Route;
  #client: Deno.HttpClient | undefined;
  #identity: Identity | undefined;

  constructor(route: Route) {
    this.#route = route;
  }

  /** The client to use now. */
  for(identity: Identity): Deno.HttpClient {
    if (this.#client && this.#identity && sameMaterial(this.#identity, identity)) return this.#client;
    const fault = materialFault(identity);
    if (fault !== undefined) {
      if (this.#client) return this.#client; // files are replaced one after the other: the good ones last until both fit
      throw new ChanceryError("invalid-input", `Cannot connect to the API server: ${fault}`);
    }
    const client = this.#create(identity);
    this.#client?.close();
    this.#client = client;
    this.#identity = identity;
    return client;
  }

  #create({ ca, certificate, key }: Identity): Deno.HttpClient {
    const { base, by } = this.#route;
    const options = {
      ...(ca === undefined ? {} : { caCerts: [ca] }),
      ...(certificate !== undefined && key !== undefined ? { cert: certificate, key } : {}),
      ...(typeof by === "object" ? { proxy: { url: by.proxyUrl } } : {}),
      http2: false,
      poolMaxIdlePerHost: IDLE_CONNECTIONS,
      poolIdleTimeout: IDLE_MS,
    };
    if (by !== "direct") return Deno.createHttpClient(options);
    return withoutProxy(new URL(base).hostname, () => Deno.createHttpClient(options));
  }

  /** Lets go of connections that may be dead; the next request makes new ones. */
  renew(): void {
    this.#client?.close();
    this.#client = undefined;
    this.#identity = undefined;
  }

  [Symbol.dispose](): void {
    this.renew();
  }
}

/**
 * Runs what makes an HTTP client while the environment says that no proxy is to be used for the host: a client reads the
 * environment when it is made, and knows no other way. The environment is as before when this returns.
 */
function withoutProxy<T>(host: string, make: () => T): T {
  const before = NO_PROXY.map((name) => [name, Deno.env.get(name)] as const);
  const listed = before.map(([, value]) => value).find((value) => value !== undefined && value !== "");
  const exempt = host.replace(/^\[(.*)\]$/, "$1");
  try {
    for (const name of NO_PROXY) Deno.env.set(name, listed === undefined ? exempt : `${listed},${exempt}`);
    return make();
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
}

function sameMaterial(one: Identity, other: Identity): boolean {
  return one.ca === other.ca && one.certificate === other.certificate && one.key === other.key;
}

/** Why the certificates cannot be used; the runtime itself would ignore some of these faults. */
function materialFault({ ca, certificate, key }: Identity): string | undefined {
  try {
    if (ca !== undefined) void new X509Certificate(ca);
  } catch {
    return "the certificate authority is no PEM certificate";
  }
  if (certificate === undefined || key === undefined) return undefined;
  try {
    const fits = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return fits ? undefined : "the client key does not fit the client certificate";
  } catch {
    return "the client certificate or its key is no PEM";
  }
}
