import type { Resource } from "../../../snapshot/mod.ts";
import type { XdsRequest } from "../message.ts";
import type { Send } from "../send.ts";
import { type Body, bodyOf, CDS, EDS, LDS, RDS } from "./world.ts";

interface Active<T> {
  readonly body: T;
  warming: boolean;
}

/**
 * A client that behaves as Envoy 1.40 was seen to: it withholds the CDS ACK while clusters warm and yet applies a newer CDS;
 * applies the good part of a refused response; does not ask again for endpoints it has subscribed to when a cluster re-warms;
 * on a new stream claims the versions it applied last; and asks for listeners only when the first clusters are ready.
 */
export class ModelEnvoy {
  readonly protocol: "sotw" | "delta";
  /** Requests on their way to the server. */
  outbox: XdsRequest[] = [];
  /** What is in use: a cluster under update stays in use until the new one is warm. */
  readonly clusters = new Map<string, Active<Body>>();
  readonly #warmingClusters = new Map<string, Body>();
  readonly listeners = new Map<string, Body>();
  readonly #warmingListeners = new Map<string, Body>();
  readonly routes = new Map<string, Body>();
  readonly #versions = new Map<string, Map<string, string>>();
  readonly #subscribed = new Map<string, Set<string>>();
  readonly #nonces = new Map<string, string>();
  readonly #appliedVersion = new Map<string, string>();
  #withheld: { nonce: string; version: string }[] = [];
  /** Everything that was refused, for the checks. */
  readonly refusals: { nonce: string; typeUrl: string; names: readonly string[] }[] = [];

  constructor(protocol: "sotw" | "delta") {
    this.protocol = protocol;
    this.connect();
  }

  /** A new stream: asks for everything it is interested in, in the order of first interest. */
  connect(): void {
    this.outbox = [];
    this.#nonces.clear();
    this.#withheld = [];
    if (!this.#subscribed.has(CDS)) this.#subscribed.set(CDS, new Set());
    for (const [typeUrl, names] of this.#subscribed) this.#ask(typeUrl, { subscribe: [...names], first: true });
  }

  /** Handles one response. */
  receive(send: Send): void {
    const { typeUrl } = send;
    this.#nonces.set(typeUrl, send.nonce);
    const { changed, removed } = this.#contentOf(send);
    const bad = changed.filter((resource) => bodyOf(resource).bad);
    for (const resource of changed) if (!bodyOf(resource).bad) this.#apply(typeUrl, resource);
    for (const name of removed) this.#remove(typeUrl, name);
    if (bad.length > 0) {
      this.refusals.push({ nonce: send.nonce, typeUrl, names: bad.map((resource) => resource.name) });
      this.#ask(typeUrl, { error: `NO: ${bad.map((resource) => resource.name)}` });
    } else {
      this.#appliedVersion.set(typeUrl, send.version);
      if (typeUrl === CDS && this.#warmingClusters.size > 0) {
        this.#withheld.push({ nonce: send.nonce, version: send.version });
      } else this.#ask(typeUrl, {});
    }
    this.#progress();
  }

  /** Requests that would fail: a listener in use without a route, or a route without a cluster in use. */
  dangling(): string[] {
    const out: string[] = [];
    for (const listener of this.listeners.values()) {
      const cluster = listener.route === undefined ? listener.cluster : this.routes.get(listener.route)?.cluster;
      if (cluster === undefined) out.push(`${listener.name}: no route ${listener.route}`);
      else if (!this.clusters.has(cluster)) out.push(`${listener.name}: no cluster ${cluster}`);
    }
    return out;
  }

  names(typeUrl: string): ReadonlySet<string> {
    return this.#subscribed.get(typeUrl) ?? new Set();
  }

  isWarming(): boolean {
    return this.#warmingClusters.size > 0;
  }

  #contentOf(send: Send): { changed: Resource[]; removed: string[] } {
    if (send.payload.protocol === "delta") {
      const { changed, removed } = send.payload.difference;
      return { changed: [...changed.values()].flatMap((entry) => entry.resource ?? []), removed: [...removed] };
    }
    const all = [...send.payload.view.entries.values()].flatMap((entry) => entry.resource ?? []);
    const held = send.typeUrl === CDS
      ? [...this.clusters.keys(), ...this.#warmingClusters.keys()]
      : [...this.listeners.keys(), ...this.#warmingListeners.keys()];
    const full = send.typeUrl === CDS || send.typeUrl === LDS;
    const removed = full ? held.filter((name) => !all.some((resource) => resource.name === name)) : [];
    return { changed: all, removed };
  }

  #apply(typeUrl: string, resource: Resource): void {
    const body = bodyOf(resource);
    const versions = this.#versions.get(typeUrl) ?? new Map();
    this.#versions.set(typeUrl, versions.set(resource.name, resource.version));
    if (typeUrl === CDS) {
      const same = JSON.stringify(this.#warmingClusters.get(body.name) ?? this.clusters.get(body.name)?.body) ===
        JSON.stringify(body);
      if (!same) this.#warmingClusters.set(body.name, body);
      if (!body.eds && !same) this.#clusterWarm(body.name);
    } else if (typeUrl === EDS) this.#clusterWarm(body.name);
    else if (typeUrl === LDS) {
      const active = JSON.stringify(this.listeners.get(body.name)) === JSON.stringify(body);
      if (active) this.#warmingListeners.delete(body.name); // back to what is in use: nothing is left to warm
      else this.#warmingListeners.set(body.name, body);
    } else this.routes.set(body.name, body);
  }

  #clusterWarm(name: string): void {
    const body = this.#warmingClusters.get(name);
    if (!body) return;
    this.#warmingClusters.delete(name);
    this.clusters.set(name, { body, warming: false });
  }

  #remove(typeUrl: string, name: string): void {
    this.#versions.get(typeUrl)?.delete(name);
    if (typeUrl === CDS) {
      this.clusters.delete(name);
      this.#warmingClusters.delete(name);
    } else if (typeUrl === LDS) {
      this.listeners.delete(name);
      this.#warmingListeners.delete(name);
    } else if (typeUrl === EDS) this.#clusterWarm(name); // without endpoints; a removed route is ignored
  }

  /** The 15 s after which Envoy gives up waiting for endpoints that nobody sends. */
  fetchTimeout(): void {
    for (const name of [...this.#warmingClusters.keys()]) this.#clusterWarm(name);
    this.#progress();
  }

  /** What follows from what was applied: warm listeners, new interests, withheld acknowledgements. */
  #progress(): void {
    for (const [name, body] of this.#warmingListeners) {
      if (body.route !== undefined && !this.routes.has(body.route)) continue;
      this.#warmingListeners.delete(name);
      this.listeners.set(name, body);
    }
    const clusters = [...this.clusters.values()].map((active) => active.body).concat([
      ...this.#warmingClusters.values(),
    ]);
    this.#want(EDS, clusters.filter((body) => body.eds).map((body) => body.name));
    if (this.#warmingClusters.size === 0) {
      if (!this.#subscribed.has(LDS)) {
        this.#subscribed.set(LDS, new Set());
        this.#ask(LDS, { first: true });
      }
      const withheld = this.#withheld;
      this.#withheld = [];
      for (const { nonce, version } of withheld) this.#ask(CDS, { nonce, version });
    }
    const listeners = [...this.listeners.values(), ...this.#warmingListeners.values()];
    this.#want(RDS, listeners.flatMap((body) => body.route ?? []));
    for (const name of this.routes.keys()) if (!this.names(RDS).has(name)) this.routes.delete(name);
  }

  #want(typeUrl: string, wanted: readonly string[]): void {
    const before = this.#subscribed.get(typeUrl);
    const names = new Set(wanted);
    const subscribe = [...names].filter((name) => !before?.has(name));
    const unsubscribe = [...(before ?? [])].filter((name) => !names.has(name));
    if (subscribe.length === 0 && unsubscribe.length === 0) return;
    this.#subscribed.set(typeUrl, names);
    for (const name of unsubscribe) this.#versions.get(typeUrl)?.delete(name);
    this.#ask(typeUrl, { subscribe, unsubscribe, first: before === undefined, change: true });
  }

  #ask(typeUrl: string, say: {
    subscribe?: readonly string[];
    unsubscribe?: readonly string[];
    error?: string;
    first?: boolean;
    /** A change of interest, not a verdict: a delta request then carries no nonce. */
    change?: boolean;
    nonce?: string;
    version?: string;
  }): void {
    const sotw = this.protocol === "sotw";
    const nonce = say.first || (!sotw && say.change) ? "" : say.nonce ?? this.#nonces.get(typeUrl) ?? "";
    this.outbox.push({
      typeUrl,
      nonce,
      error: say.error === undefined ? undefined : { code: 3, message: say.error },
      version: sotw ? say.version ?? this.#appliedVersion.get(typeUrl) ?? "" : "",
      names: sotw ? [...this.names(typeUrl)] : [],
      subscribe: sotw ? [] : say.subscribe ?? [],
      unsubscribe: sotw ? [] : say.unsubscribe ?? [],
      initialVersions: !sotw && say.first ? new Map(this.#versions.get(typeUrl)) : new Map(),
    });
  }
}
