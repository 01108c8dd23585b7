/**
 * A small delta client that accepts everything unless told otherwise: what an Envoy would be told, without an Envoy.
 * @module
 */
import "./steady_http2.ts";
import { Client, type ClientDuplexStream, credentials } from "@grpc/grpc-js";
import { Buffer } from "node:buffer";
import { envoyRegistry, RESOURCE_TYPES, resourceTypeOf } from "../../src/envoy/mod.ts";

const DISCOVERY = "envoy.service.discovery.v3.";
const METHOD = `/${DISCOVERY}AggregatedDiscoveryService/DeltaAggregatedResources`;

/** One response. */
export interface XdsResponse {
  readonly type: string;
  /** All resources, as text in which strings of the configuration can be found. */
  readonly bytes: string;
  /** How many. */
  readonly resources: number;
  readonly names: readonly string[];
  /** Names that are gone. */
  readonly removed: readonly string[];
}

/** Credentials for {@linkcode XdsClient}, PEM. */
export interface ClientTls {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** What there is to be said about a response: nothing, or why it is refused; said when the promise resolves. */
export type Answer = (response: XdsResponse) => string | undefined | Promise<string | undefined>;

/** Options of {@linkcode XdsClient}. */
export interface XdsClientOptions {
  /** Node id; `edge` when absent. */
  readonly node?: string;
  /** Name of the pod that it says it runs in. */
  readonly pod?: string;
  /** Namespace of that pod; it says none when absent. */
  readonly podNamespace?: string;
  readonly tls?: ClientTls;
  /** Names to subscribe to, by type. */
  readonly names?: Readonly<Record<string, readonly string[]>>;
  /** Accepts at once when absent. */
  readonly answer?: Answer;
}

/** Subscribes to all listeners and clusters of a node, and to the names that are given. */
export class XdsClient implements AsyncDisposable {
  readonly #client: Client;
  readonly #stream: ClientDuplexStream<Uint8Array, Uint8Array>;
  readonly #responses: XdsResponse[] = [];
  readonly #answer: Answer;
  #wake = () => {};
  #error: Error | undefined;
  readonly #closed: Promise<void>;

  constructor(port: number, options: XdsClientOptions = {}) {
    const { node: id = "edge", pod, podNamespace, tls, names = {}, answer = () => undefined } = options;
    this.#answer = answer;
    const channel = tls
      ? credentials.createSsl(Buffer.from(tls.ca), Buffer.from(tls.key), Buffer.from(tls.cert))
      : credentials.createInsecure();
    // A name, since an IP address is no server name in TLS.
    this.#client = new Client(`127.0.0.1:${port}`, channel, {
      "grpc.ssl_target_name_override": "localhost",
      "grpc.use_local_subchannel_pool": 1, // a connection of its own, as each Envoy has
    });
    this.#stream = this.#client.makeBidiStreamRequest(
      METHOD,
      (bytes: Uint8Array) => Buffer.from(bytes),
      (bytes) => bytes,
    );
    this.#closed = new Promise((resolve) => {
      this.#stream.on("error", (error: Error) => {
        this.#error = error;
        this.#wake();
        resolve();
      });
      this.#stream.on("end", () => resolve());
    });
    this.#stream.on("data", (bytes: Uint8Array) => void this.#take(bytes));
    const said = Object.entries({ pod_name: pod, pod_namespace: podNamespace })
      .flatMap(([name, value]) => value === undefined ? [] : [[name, { string_value: value }]]);
    const node = { id, ...(said.length > 0 && { metadata: { fields: Object.fromEntries(said) } }) };
    for (const type of ["CDS", "LDS"]) this.#send({ type_url: urlOf(type), node });
    for (const [type, wanted] of Object.entries(names)) {
      this.#send({ type_url: urlOf(type), resource_names_subscribe: wanted, node });
    }
  }

  /** Responses that nobody has asked for with {@linkcode next}, other than empty ones. */
  get unread(): number {
    return this.#responses.filter((response) => response.resources > 0).length;
  }

  /** Whether the stream has broken. */
  get broken(): Error | undefined {
    return this.#error;
  }

  /** The next response of a type that brings something. */
  async next(type: string, deadlineMs = 30_000): Promise<XdsResponse> {
    const end = performance.now() + deadlineMs;
    for (;;) {
      const at = this.#responses.findIndex((response) => response.type === type && response.resources > 0);
      if (at >= 0) return this.#responses.splice(at, 1)[0]!; // just found
      if (this.#error) throw this.#error;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`no ${type} response within ${deadlineMs} ms`);
      let timer: ReturnType<typeof setTimeout> | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        timer = setTimeout(resolve, left);
      });
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stream.cancel();
    await this.#closed;
    this.#client.close();
  }

  #send(request: Record<string, unknown>): void {
    this.#stream.write(envoyRegistry().codec(`${DISCOVERY}DeltaDiscoveryRequest`).encode(request));
  }

  async #take(bytes: Uint8Array): Promise<void> {
    const plain = envoyRegistry().codec(`${DISCOVERY}DeltaDiscoveryResponse`).decode(bytes);
    const typeUrl = String(plain["type_url"]);
    const text = new TextDecoder().decode(bytes);
    const names = ((plain["resources"] ?? []) as readonly { readonly name: string }[]).map(({ name }) => name); // of that message
    const removed = (plain["removed_resources"] ?? []) as readonly string[]; // the same
    const type = resourceTypeOf(typeUrl)?.short ?? typeUrl;
    const response = { type, bytes: text, resources: names.length, names, removed };
    this.#responses.push(response);
    this.#wake();
    const refusal = await this.#answer(response);
    this.#send({
      type_url: typeUrl,
      response_nonce: plain["nonce"],
      ...(refusal === undefined ? {} : { error_detail: { code: 3, message: refusal } }), // INVALID_ARGUMENT, as Envoy says
    });
  }
}

function urlOf(short: string): string {
  const type = RESOURCE_TYPES.find((one) => one.short === short);
  if (!type) throw new Error(`no type ${short}`);
  return type.typeUrl;
}
