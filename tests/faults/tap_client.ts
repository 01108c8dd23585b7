import { envoyRegistry, type Plain } from "../../src/envoy/mod.ts";
import { ModelEnvoy } from "../../src/xds/session/model/envoy.ts";
import { typeOf } from "../../src/xds/session/model/dialogue.ts";
import { ADS_DELTA, ADS_SOTW, TestClient, type TestStream } from "../../src/xds/server/testing/client.ts";
import { factsOf } from "./facts.ts";
import type { Journal, RequestEvent, ResponseEvent, WireResource } from "./journal.ts";
import { heldBy, receive, refuses, shortOf } from "./replay.ts";

const PREFIX = "envoy.service.discovery.v3.";
/** How long a client waits before it tries again to connect. */
const RECONNECT_MS = 50;

const CHANNEL = {
  "grpc.initial_reconnect_backoff_ms": RECONNECT_MS,
  "grpc.max_reconnect_backoff_ms": RECONNECT_MS,
  "grpc.min_reconnect_backoff_ms": RECONNECT_MS,
};

/** What a model request says; `typeUrl` and the rest as the session of the server reads it. */
type ModelRequest = ModelEnvoy["outbox"][number];

/** What a {@linkcode TapClient} is, and where it connects. */
export interface TapOptions {
  readonly name: string;
  readonly node: string;
  readonly protocol: "sotw" | "delta";
  /** Of servers on the loopback, which are tried in turn, as the endpoints of a cluster are. */
  readonly ports: readonly number[];
  readonly journal: Journal;
  /** Of the connection; none by default. */
  readonly connection?: ConstructorParameters<typeof TestClient>[1];
}

let streams = 0;

/**
 * A client over real gRPC that behaves as the model of Envoy does, comes back when its stream breaks, and writes down all that
 * is said. Beside what the model asks for it asks for one secret.
 */
export class TapClient implements AsyncDisposable {
  readonly name: string;
  readonly node: string;
  readonly protocol: "sotw" | "delta";
  readonly #ports: readonly number[];
  readonly #connection: TapOptions["connection"];
  readonly #journal: Journal;
  readonly #model: ModelEnvoy;
  #secret: { hash: string; version: string } | undefined;
  #secretNonce = "";
  #stream: TestStream | undefined;
  #over = false;
  readonly #running: Promise<void>;

  constructor(options: TapOptions) {
    this.name = options.name;
    this.node = options.node;
    this.protocol = options.protocol;
    this.#ports = options.ports;
    this.#connection = options.connection;
    this.#journal = options.journal;
    this.#model = new ModelEnvoy(options.protocol);
    this.#running = this.#run();
  }

  /** What is in use, by `TYPE/name`. */
  held(): Map<string, string> {
    const held = heldBy(this.#model);
    if (this.#secret) held.set("SDS/token", this.#secret.hash);
    return held;
  }

  /** Breaks the stream; it comes back by itself. */
  cut(): void {
    this.#stream?.cancel();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#over = true;
    this.cut();
    await this.#running;
  }

  async #run(): Promise<void> {
    using open = new DisposableStack();
    const clients = this.#ports.map((port) => {
      const options = { ...this.#connection, channel: { ...this.#connection?.channel, ...CHANNEL } };
      return open.use(new TestClient(`127.0.0.1:${port}`, options));
    });
    for (let tries = 0; !this.#over; tries++) {
      const first = tries === 0;
      const client = clients[tries % clients.length]!; // there is at least one
      const stream = this.#stream = client.open(this.protocol === "sotw" ? ADS_SOTW : ADS_DELTA);
      const id = ++streams;
      const of = { client: this.name, node: this.node, stream: id, protocol: this.protocol };
      this.#journal.add({ kind: "open", ...of });
      if (!first) this.#model.connect();
      this.#secretNonce = "";
      let fresh = true;
      this.#flush(stream, of, fresh);
      this.#askSecret(stream, of, true);
      fresh = false;
      try {
        for (let count = 1;; count++) {
          const bytes = (await stream.received(count))[count - 1]!; // as many as were waited for
          this.#take(stream, of, bytes);
        }
      } catch {
        // The stream is over; why does not matter.
      }
      await stream.status;
      this.#journal.add({ kind: "closed", ...of });
      await this.#journal.until(() => this.#over, RECONNECT_MS);
    }
  }

  #take(stream: TestStream, of: StreamId, bytes: Uint8Array): void {
    const said = this.#read(of, bytes);
    this.#journal.add(said);
    if (said.type !== "SDS") {
      receive(this.#model, said, this.name);
      return this.#flush(stream, of, false);
    }
    this.#secretNonce = said.nonce;
    const secret = said.resources.find(({ name }) => name === "token");
    if (secret) this.#secret = { hash: secret.hash, version: secret.version || said.version };
    this.#askSecret(stream, of, false);
  }

  #read(of: StreamId, bytes: Uint8Array): ResponseEvent {
    const delta = this.protocol === "delta";
    const message = envoyRegistry().codec(`${PREFIX}${delta ? "Delta" : ""}DiscoveryResponse`).decode(bytes);
    const typeUrl = String(message["type_url"]);
    const resources: WireResource[] = [];
    for (const one of (message["resources"] ?? []) as Plain[]) { // a list of messages
      const any = (delta ? one["resource"] : one) as Plain | undefined; // an Any, or absent
      if (!any) continue;
      const value = (any["value"] ?? new Uint8Array()) as Uint8Array; // bytes
      resources.push(factsOf(typeUrl, delta ? String(one["version"]) : "", value));
    }
    return {
      kind: "response",
      ...of,
      type: shortOf(typeUrl),
      nonce: String(message["nonce"]),
      version: String((delta ? message["system_version_info"] : message["version_info"]) ?? ""),
      resources,
      removed: [...(message["removed_resources"] ?? []) as string[]], // a list of strings
    };
  }

  #flush(stream: TestStream, of: StreamId, fresh: boolean): void {
    for (const request of this.#model.outbox.splice(0)) this.#say(stream, of, request, fresh);
  }

  #askSecret(stream: TestStream, of: StreamId, first: boolean): void {
    const delta = this.protocol === "delta";
    const known = first && delta && this.#secret;
    this.#say(stream, of, {
      typeUrl: typeOf("SDS"),
      nonce: this.#secretNonce,
      error: undefined,
      version: delta ? "" : this.#secret?.version ?? "",
      names: delta ? [] : ["token"],
      subscribe: delta && first ? ["token"] : [],
      unsubscribe: [],
      initialVersions: new Map(known ? [["token", known.version]] : []),
    }, first);
  }

  #say(stream: TestStream, of: StreamId, request: ModelRequest, withNode: boolean): void {
    const delta = this.protocol === "delta";
    const { typeUrl, nonce, error, version, names, subscribe, unsubscribe, initialVersions } = request;
    const claims = Object.fromEntries(initialVersions);
    const type = shortOf(typeUrl);
    const common = {
      type_url: typeUrl,
      response_nonce: nonce,
      ...(withNode && { node: { id: this.node, cluster: this.name, user_agent_name: "tap" } }),
      ...(error && { error_detail: error }),
    };
    const own = delta
      ? {
        resource_names_subscribe: [...subscribe],
        resource_names_unsubscribe: [...unsubscribe],
        initial_resource_versions: claims,
      }
      : { version_info: version, resource_names: [...names] };
    const codec = envoyRegistry().codec(`${PREFIX}${delta ? "Delta" : ""}DiscoveryRequest`);
    const event: RequestEvent = {
      kind: "request",
      ...of,
      type,
      nonce,
      names: [...names],
      subscribe: [...subscribe],
      unsubscribe: [...unsubscribe],
      claims,
      ...(error && { error: error.message, refused: this.#refused(of.stream, nonce) }),
    };
    this.#journal.add(event);
    stream.send(codec.encode({ ...common, ...own }));
  }

  #refused(stream: number, nonce: string): { name: string; hash: string }[] {
    const response = this.#journal.entries.findLast((entry) =>
      entry.kind === "response" && entry.stream === stream && entry.nonce === nonce
    );
    if (response?.kind !== "response") return [];
    return response.resources.filter((one) => refuses(this.name, one)).map(({ name, hash }) => ({ name, hash }));
  }
}

type StreamId = Pick<RequestEvent, "client" | "node" | "stream" | "protocol">;
