/**
 * What a message asks for by name: the clusters it sends to, and what it takes from xDS. Lua, headers and Wasm can name
 * clusters that nobody sees here, so what is missing is at most a warning.
 * @module
 */
import type { PathSegment } from "../../base/mod.ts";
import { attachedMessage, typeNameOf } from "../read/mod.ts";
import type { Registry } from "../registry.ts";
import type { ItemType } from "../resource_type.ts";
import { KIND, type MessageDescriptor, type Plain } from "../schema/mod.ts";
import { CLUSTER_FIELDS } from "./cluster_fields.ts";

/**
 * Where Envoy takes a referenced resource from: `ads`; `api`, an xDS stream or REST of its own; `self`, the server that sent
 * the referring resource; `file`; `static`, what the bootstrap holds. Clusters are `any`: whoever brings them.
 */
export type ReferenceSource = "ads" | "api" | "self" | "file" | "static" | "any";

/** One name that a message refers to. */
export interface Reference {
  readonly item: ItemType;
  /** Empty for a wildcard: all scoped routes, or the virtual hosts of the route configuration itself. */
  readonly name: string;
  readonly source: ReferenceSource;
  /** Place of the name in the message, with .proto field names. */
  readonly path: readonly PathSegment[];
}

const ANY = "google.protobuf.Any";
const EXTENSION_CONFIG_SOURCE = "envoy.config.core.v3.ExtensionConfigSource";
const HTTP_CONNECTION_MANAGER = "envoy.extensions.filters.network.http_connection_manager.v3";

/** How a message asks xDS: the field of the ConfigSource, and that of the name. */
interface Asking {
  readonly item: ItemType;
  readonly source: string;
  readonly name: string;
}

const ASKING: ReadonlyMap<string, Asking> = new Map<string, Asking>([
  [`${HTTP_CONNECTION_MANAGER}.Rds`, { item: "route", source: "config_source", name: "route_config_name" }],
  [`${HTTP_CONNECTION_MANAGER}.ScopedRds`, { item: "scopedRoute", source: "scoped_rds_config_source", name: "" }],
  ["envoy.config.route.v3.Vhds", { item: "virtualHost", source: "config_source", name: "" }],
  ["envoy.config.bootstrap.v3.RuntimeLayer.RtdsLayer", { item: "runtime", source: "rtds_config", name: "name" }],
  ["envoy.extensions.transport_sockets.tls.v3.SdsSecretConfig", { item: "secret", source: "sds_config", name: "name" }],
]);

/**
 * All references of a message in the form of {@linkcode Codec} or of the reader; what is in an Any counts. In the order of
 * field numbers, with repetitions.
 *
 * @throws {ChanceryError} `not-found` when the registry has no such message
 */
export function referencesOf(registry: Registry, message: string, plain: Plain): Reference[] {
  const walk = new Walk(registry);
  walk.message(registry.codec(message).descriptor, plain, []);
  return walk.found;
}

class Walk {
  readonly found: Reference[] = [];
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  message(descriptor: MessageDescriptor, plain: Plain, path: readonly PathSegment[]): void {
    if (descriptor.name === ANY) return this.#any(plain, path);
    this.#note(descriptor, plain, path);
    for (const field of descriptor.fields) {
      if (!Object.hasOwn(plain, field.name)) continue;
      const value = plain[field.name];
      const at = [...path, field.name];
      if (field.map) {
        if (field.map.value.kind !== KIND.MESSAGE) continue;
        const { message } = field.map.value;
        for (const [key, item] of Object.entries(value as Plain)) this.message(message, item as Plain, [...at, key]); // a map
      } else if (field.kind !== KIND.MESSAGE) continue;
      else if (!field.repeated) this.message(field.message, value as Plain, at); // a message
      else (value as readonly Plain[]).forEach((item, i) => this.message(field.message, item, [...at, i])); // a list
    }
  }

  #note(descriptor: MessageDescriptor, plain: Plain, path: readonly PathSegment[]): void {
    const clusters = CLUSTER_FIELDS.get(descriptor.name);
    if (clusters !== undefined) this.#clusters(plain[clusters], [...path, clusters]);
    const asking = ASKING.get(descriptor.name);
    if (asking) {
      const source = sourceOf(plain[asking.source]) ?? "static";
      this.#add({
        item: asking.item,
        name: textOf(plain[asking.name]),
        source,
        path: [...path, asking.name || asking.source],
      });
    }
    switch (descriptor.name) {
      case "envoy.config.cluster.v3.Cluster":
        return this.#endpoints(plain, path);
      case "envoy.config.route.v3.ScopedRouteConfiguration":
        return this.#routeOfScope(plain, path);
    }
    const discovery = descriptor.fields.find((f) => f.typeName === EXTENSION_CONFIG_SOURCE);
    const extension = discovery && plain[discovery.name] as Plain | undefined; // an ExtensionConfigSource
    if (!extension) return;
    const source = sourceOf(extension["config_source"]);
    if (source) this.#add({ item: "extensionConfig", name: textOf(plain["name"]), source, path: [...path, "name"] });
  }

  #clusters(value: unknown, path: readonly PathSegment[]): void {
    if (Array.isArray(value)) value.forEach((name, i) => this.#clusters(name, [...path, i]));
    else if (textOf(value) !== "") this.#add({ item: "cluster", name: textOf(value), source: "any", path });
  }

  #endpoints(cluster: Plain, path: readonly PathSegment[]): void {
    const eds = cluster["eds_cluster_config"] as Plain | undefined; // an EdsClusterConfig
    const source = sourceOf(eds?.["eds_config"]);
    if (cluster["type"] !== TYPE_EDS || !eds || !source) return;
    const service = textOf(eds["service_name"]);
    const at = service === "" ? [...path, "name"] : [...path, "eds_cluster_config", "service_name"];
    this.#add({ item: "endpoint", name: service || textOf(cluster["name"]), source, path: at });
  }

  /** The connection manager says where from; a scope that came by xDS does not know, and `ads` is what it nearly always is. */
  #routeOfScope(scope: Plain, path: readonly PathSegment[]): void {
    const name = textOf(scope["route_configuration_name"]);
    if (name !== "") this.#add({ item: "route", name, source: "ads", path: [...path, "route_configuration_name"] });
  }

  #any(any: Plain, path: readonly PathSegment[]): void {
    const attached = attachedMessage(any);
    const type = attached?.type ?? typeNameOf(textOf(any["type_url"]));
    const descriptor = this.#registry.message(type);
    if (!descriptor) return;
    const wrapped = descriptor.name === ANY ? [...path, "value"] : path;
    const content = attached?.message ?? this.#decode(type, any["value"]);
    if (content) this.message(descriptor, content, wrapped);
  }

  #decode(type: string, bytes: unknown): Plain | undefined {
    try {
      return this.#registry.codec(type).decode(bytes instanceof Uint8Array ? bytes : new Uint8Array());
    } catch {
      return undefined; // bytes that are no such message refer to nothing
    }
  }

  #add(reference: Reference): void {
    this.found.push(reference);
  }
}

const TYPE_EDS = 3; // envoy.config.cluster.v3.Cluster.DiscoveryType

/** Where a ConfigSource points; undefined when there is none or it says nothing. */
function sourceOf(configSource: unknown): ReferenceSource | undefined {
  const source = configSource as Plain | undefined; // a ConfigSource, by its field
  if (!source) return undefined;
  if (source["ads"]) return "ads";
  if (source["self"]) return "self";
  if (source["api_config_source"]) return "api";
  return source["path_config_source"] || textOf(source["path"]) !== "" ? "file" : undefined;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
