/** What an EnvoyConfig calls a resource of a type. */
export type ItemType =
  | "cluster"
  | "endpoint"
  | "secret"
  | "listener"
  | "route"
  | "scopedRoute"
  | "virtualHost"
  | "extensionConfig"
  | "runtime";

/** One kind of thing that Envoy asks for by xDS. */
export interface ResourceType {
  /** `type.googleapis.com/envoy.config.cluster.v3.Cluster` */
  readonly typeUrl: string;
  /** `envoy.config.cluster.v3.Cluster` */
  readonly message: string;
  /** `CDS` */
  readonly short: string;
  readonly item: ItemType;
  /** `clusters` */
  readonly plural: string;
  /** The field that holds the name by which xDS asks. */
  readonly nameField: string;
  /** Whether a first state-of-the-world request without names asks for all. */
  readonly legacyWildcard: boolean;
  /**
   * Whether a state-of-the-world response has to list everything, because what is missing from it is gone:
   * https://www.envoyproxy.io/docs/envoy/latest/api-docs/xds_protocol#grouping-resources-into-responses
   */
  readonly fullState: boolean;
  /** The gRPC service of this type alone; `stream` and `delta` are method names, empty where there is none. */
  readonly service: { readonly name: string; readonly stream: string; readonly delta: string };
}

interface Row {
  readonly message: string;
  readonly short: string;
  readonly item: ItemType;
  readonly nameField?: string;
  readonly all?: "wildcard" | "full";
  readonly service: readonly [name: string, stream: string, delta: string];
}

const ROWS: readonly Row[] = [
  {
    message: "envoy.config.cluster.v3.Cluster",
    short: "CDS",
    item: "cluster",
    all: "full",
    service: ["envoy.service.cluster.v3.ClusterDiscoveryService", "StreamClusters", "DeltaClusters"],
  },
  {
    message: "envoy.config.endpoint.v3.ClusterLoadAssignment",
    short: "EDS",
    item: "endpoint",
    nameField: "cluster_name",
    service: ["envoy.service.endpoint.v3.EndpointDiscoveryService", "StreamEndpoints", "DeltaEndpoints"],
  },
  {
    message: "envoy.extensions.transport_sockets.tls.v3.Secret",
    short: "SDS",
    item: "secret",
    service: ["envoy.service.secret.v3.SecretDiscoveryService", "StreamSecrets", "DeltaSecrets"],
  },
  {
    message: "envoy.config.listener.v3.Listener",
    short: "LDS",
    item: "listener",
    all: "full",
    service: ["envoy.service.listener.v3.ListenerDiscoveryService", "StreamListeners", "DeltaListeners"],
  },
  {
    message: "envoy.config.route.v3.RouteConfiguration",
    short: "RDS",
    item: "route",
    service: ["envoy.service.route.v3.RouteDiscoveryService", "StreamRoutes", "DeltaRoutes"],
  },
  {
    message: "envoy.config.route.v3.ScopedRouteConfiguration",
    short: "SRDS",
    item: "scopedRoute",
    all: "wildcard",
    service: ["envoy.service.route.v3.ScopedRoutesDiscoveryService", "StreamScopedRoutes", "DeltaScopedRoutes"],
  },
  {
    message: "envoy.config.route.v3.VirtualHost",
    short: "VHDS",
    item: "virtualHost",
    service: ["envoy.service.route.v3.VirtualHostDiscoveryService", "", "DeltaVirtualHosts"],
  },
  {
    message: "envoy.config.core.v3.TypedExtensionConfig",
    short: "ECDS",
    item: "extensionConfig",
    service: [
      "envoy.service.extension.v3.ExtensionConfigDiscoveryService",
      "StreamExtensionConfigs",
      "DeltaExtensionConfigs",
    ],
  },
  {
    message: "envoy.service.runtime.v3.Runtime",
    short: "RTDS",
    item: "runtime",
    service: ["envoy.service.runtime.v3.RuntimeDiscoveryService", "StreamRuntime", "DeltaRuntime"],
  },
];

/**
 * All resource types in the order in which they are sent. Nothing else in the project tells types apart by their URL.
 */
export const RESOURCE_TYPES: readonly ResourceType[] = ROWS.map((
  { message, short, item, nameField, all, service },
) => ({
  typeUrl: `type.googleapis.com/${message}`,
  message,
  short,
  item,
  plural: `${item}s`,
  nameField: nameField ?? "name",
  legacyWildcard: all !== undefined,
  fullState: all === "full",
  service: { name: service[0], stream: service[1], delta: service[2] },
}));

const BY_URL = new Map(RESOURCE_TYPES.map((type) => [type.typeUrl, type]));
const BY_ITEM = new Map<string, ResourceType>(RESOURCE_TYPES.map((type) => [type.item, type]));

/** The type of a type URL, with the prefix that Envoy uses. */
export function resourceTypeOf(typeUrl: string): ResourceType | undefined {
  return BY_URL.get(typeUrl);
}

/** The type that an EnvoyConfig item names, `scopedRoute`. */
export function resourceTypeOfItem(item: string): ResourceType | undefined {
  return BY_ITEM.get(item);
}
