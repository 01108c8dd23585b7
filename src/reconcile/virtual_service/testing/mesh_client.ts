import { envoyRegistry, RESOURCE_TYPES, resourceTypeOf } from "../../../envoy/mod.ts";
import type { CallStatus, Hub, StreamHandler, XdsCall } from "../../../xds/mod.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Options of {@linkcode MeshClient}. */
export interface MeshClientOptions {
  readonly id: string;
  readonly pod?: { readonly namespace: string; readonly name: string };
  readonly labels?: Readonly<Record<string, string>>;
  /** Only this type, on a stream of its own; all that is asked for on one stream when absent. */
  readonly only?: "LDS" | "CDS" | "EDS";
  /** What it says of a response with these names: why it refuses, or `undefined` when it accepts. */
  readonly refuses?: (names: readonly string[]) => string | undefined;
}

let opened = 0;

/** A delta client without a socket: keeps what it is told, and answers each response at once. */
export class MeshClient implements XdsCall {
  readonly protocol = "delta";
  readonly peer = { address: "10.9.9.9:1" };
  readonly id = `stream ${++opened}`;
  readonly typeUrl: string | undefined;
  /** What it holds, `LDS name` → resource as decoded. */
  readonly held = new Map<string, Fields>();
  /** Names in each response, `LDS a b -c`. */
  readonly responses: string[] = [];
  ended: CallStatus | undefined;
  readonly #handler: StreamHandler;
  readonly #options: MeshClientOptions;

  constructor(hub: Hub, options: MeshClientOptions) {
    this.#options = options;
    this.typeUrl = options.only && urlOf(options.only);
    this.#handler = hub.open(this);
  }

  /** Asks for all of a type, or for these names; says who it is unless told otherwise. */
  ask(type: "LDS" | "CDS" | "EDS", names: readonly string[] = [], { node = true } = {}): void {
    this.#request({
      type_url: urlOf(type),
      ...(node && { node: this.#node() }),
      ...(names.length > 0 && { resource_names_subscribe: [...names] }),
    });
  }

  /** Names it holds of a type, sorted. */
  names(type: string): string[] {
    return [...this.held.keys()].filter((key) => key.startsWith(`${type} `)).map((key) => key.slice(4)).sort();
  }

  /** How many endpoints a cluster has, as told by EDS. */
  endpoints(cluster: string): number {
    const { endpoints = [] } = (this.held.get(`EDS ${cluster}`) ?? {}) as { endpoints?: { lb_endpoints: unknown[] }[] };
    return endpoints.flatMap(({ lb_endpoints }) => lb_endpoints).length;
  }

  write(body: Uint8Array, tail: Uint8Array): Promise<void> {
    const codec = envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryResponse");
    const response = codec.decode(new Uint8Array([...body, ...tail])) as unknown as Response; // of that type
    queueMicrotask(() => this.#take(response));
    return Promise.resolve();
  }

  end(status: CallStatus): void {
    this.ended = status;
  }

  close(): void {
    this.#handler.closed();
  }

  #take({ type_url, nonce, resources = [], removed_resources = [] }: Response): void {
    const { short, message } = resourceTypeOf(type_url)!; // the hub sends known types
    const names = resources.map(({ name }) => name);
    this.responses.push([short, ...names, ...removed_resources.map((name) => `-${name}`)].join(" "));
    const refusal = this.#options.refuses?.(names);
    for (const { name, resource } of resources) {
      if (refusal?.includes(`${name}: `)) continue;
      this.held.set(`${short} ${name}`, envoyRegistry().codec(message).decode(resource.value));
    }
    for (const name of removed_resources) this.held.delete(`${short} ${name}`);
    this.#request({
      type_url,
      response_nonce: nonce,
      ...(refusal !== undefined && { error_detail: { code: 13, message: refusal } }),
    });
  }

  #request(fields: Fields): void {
    void this.#handler.request(
      envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryRequest").encode(fields),
    );
  }

  #node(): Fields {
    const { id, pod, labels } = this.#options;
    const fields = {
      ...(pod && { pod_name: text(pod.name), pod_namespace: text(pod.namespace) }),
      ...(labels && { labels: { struct_value: { fields: textFields(labels) } } }),
    };
    return { id, ...(Object.keys(fields).length > 0 && { metadata: { fields } }) };
  }
}

interface Response {
  readonly type_url: string;
  readonly nonce: string;
  readonly resources?: readonly { readonly name: string; readonly resource: { readonly value: Uint8Array } }[];
  readonly removed_resources?: readonly string[];
}

function urlOf(short: string): string {
  return RESOURCE_TYPES.find((type) => type.short === short)!.typeUrl; // one of those above
}

function text(value: string): Fields {
  return { string_value: value };
}

function textFields(values: Readonly<Record<string, string>>): Record<string, Fields> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, text(value)]));
}
