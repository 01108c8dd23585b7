import { ChanceryError, type Json } from "../base/mod.ts";
import { type Address, isIp } from "./address/mod.ts";
import { adminCluster, statusListener, type StatusPlace } from "./status_listener.ts";
import { sdsFiles, type TlsFiles, transportSocket } from "./tls.ts";

/** Names and times that the bootstrap and the rest of the program agree on. */
export const BOOTSTRAP = {
  /** The static cluster that leads to Chancery. */
  cluster: "xds_cluster",
  /** What `runtime` items of an EnvoyConfig must be named to be asked for; MARIN3R's users have it in their manifests. */
  runtimeLayer: "runtime",
  connectTimeout: "1s",
  /** A dead server is noticed after interval + timeout; the server accepts one ping in 10 s (W9). */
  keepalive: { interval: "30s", timeout: "10s" },
  /**
   * Envoy's own back-off between tries to reach its control plane grows to 30 s, which after an outage leaves proxies on old
   * configuration that long; this is jittered, and short enough for I8.
   */
  reconnect: { base: "0.25s", max: "3s" },
  /** How long an Envoy that need not be configured waits for each type before it is ready without. */
  startedFetchTimeout: "3s",
  adminAddress: "127.0.0.1:9901",
} as const;

/** What {@linkcode buildBootstrap} needs to know. */
export interface BootstrapOptions {
  /** Left out when absent: then Envoy's own flag says it. */
  readonly nodeId?: string;
  /** `node.cluster`; the node id when absent. */
  readonly cluster?: string;
  /** `node.metadata`. */
  readonly metadata?: Readonly<Record<string, Json>>;
  /** At least one; several are endpoints of one cluster, since Envoy fails over between sources only before the first success. */
  readonly xds: readonly Address[];
  /** Default `delta`. */
  readonly mode?: "delta" | "sotw";
  /** Mutual TLS with certificates from files; plain text when absent. */
  readonly tls?: TlsFiles;
  /** Envoy's admin interface; left out when absent. */
  readonly admin?: Address;
  /** File that the admin interface notes its requests in; none when absent. */
  readonly adminAccessLog?: string;
  /** What shows of the admin interface what everybody may see (S5); there is nothing like it when absent. */
  readonly status?: StatusPlace;
  /**
   * When Envoy is ready: `configured` when it has its first configuration, however long that takes, and with `status` only if it
   * accepted it (A4); `started` after a few seconds, with or without one. When absent, as Envoy has it: after 15 s per type.
   */
  readonly readiness?: Readiness;
  /** Where Envoy runs, for whoever balances by zones. */
  readonly locality?: Locality;
  /** Name of the runtime layer and of the resource that fills it; `null` for none. Default `runtime`. */
  readonly runtimeLayer?: string | null;
}

/** When an Envoy is ready. */
export type Readiness = "configured" | "started";

/** Where an Envoy runs; what is not known is left out. */
export interface Locality {
  readonly region?: string;
  readonly zone?: string;
  readonly subZone?: string;
}

/** A document to be written to a file of its own. */
export interface BootstrapFile {
  readonly path: string;
  readonly document: Json;
}

/**
 * The bootstrap document of an Envoy that gets everything else from Chancery, and the SDS files that it refers to (with TLS
 * only; Envoy reads certificates again only when they come through SDS). Throws `invalid-input` for what Envoy would refuse.
 */
export function buildBootstrap(options: BootstrapOptions): { bootstrap: Json; files: readonly BootstrapFile[] } {
  const { nodeId, cluster = nodeId, runtimeLayer = BOOTSTRAP.runtimeLayer } = options;
  if (nodeId === "") throw new ChanceryError("invalid-input", "Cannot build a bootstrap: the node id is empty");
  if (options.status && !options.admin) {
    throw new ChanceryError(
      "invalid-input",
      "Cannot build a bootstrap: there is no admin interface to show the status of",
    );
  }
  const source = configSource(options.readiness);
  const bootstrap: Record<string, Json> = {
    node: {
      ...(nodeId !== undefined && { id: nodeId }),
      ...(cluster !== undefined && { cluster }),
      ...(options.metadata && { metadata: options.metadata }),
      ...localityOf(options),
    },
    ...(options.admin && { admin: { ...accessLog(options), address: envoyAddress(options.admin) } }),
    dynamic_resources: {
      ads_config: {
        api_type: options.mode === "sotw" ? "GRPC" : "DELTA_GRPC",
        transport_api_version: "V3",
        set_node_on_first_message_only: true,
        grpc_services: [{
          envoy_grpc: {
            cluster_name: BOOTSTRAP.cluster,
            retry_policy: {
              retry_back_off: { base_interval: BOOTSTRAP.reconnect.base, max_interval: BOOTSTRAP.reconnect.max },
            },
          },
        }],
      },
      cds_config: source,
      lds_config: source,
    },
    static_resources: staticResources(options),
    ...(runtimeLayer !== null && {
      layered_runtime: {
        layers: [{
          name: runtimeLayer,
          rtds_layer: { name: runtimeLayer, rtds_config: runtimeSource(options.readiness) },
        }],
      },
    }),
  };
  return { bootstrap, files: options.tls ? sdsFiles(options.tls) : [] };
}

function configSource(readiness: Readiness | undefined): Json {
  const timeout = { configured: "0s", started: BOOTSTRAP.startedFetchTimeout };
  return { ads: {}, resource_api_version: "V3", ...(readiness && { initial_fetch_timeout: timeout[readiness] }) };
}

/** Envoy asks for nothing else before this: a server that says nothing of what it does not have would hold it for ever. */
function runtimeSource(readiness: Readiness | undefined): Json {
  return configSource(readiness === "configured" ? undefined : readiness);
}

function localityOf({ locality: { region, zone, subZone } = {} }: BootstrapOptions): { locality?: Json } {
  const known = { ...(region && { region }), ...(zone && { zone }), ...(subZone && { sub_zone: subZone }) };
  return Object.keys(known).length > 0 ? { locality: known } : {};
}

function staticResources(options: BootstrapOptions): Json {
  const { status, admin, readiness } = options;
  const clusters = [xdsCluster(options)];
  if (!status || !admin) return { clusters };
  const listener = statusListener(status, { untilConfigured: readiness === "configured" });
  return { listeners: [listener], clusters: [...clusters, adminCluster(envoyAddress(admin))] };
}

function accessLog({ adminAccessLog: path }: BootstrapOptions): { access_log?: Json } {
  if (path === undefined) return {};
  const file = { "@type": "type.googleapis.com/envoy.extensions.access_loggers.file.v3.FileAccessLog", path };
  return { access_log: [{ name: "envoy.access_loggers.file", typed_config: file }] };
}

function xdsCluster({ xds, tls }: BootstrapOptions): Json {
  if (xds.length === 0) throw new ChanceryError("invalid-input", "Cannot build a bootstrap: no xDS address is given");
  const named = xds.some((address) => address.kind === "tcp" && !isIp(address.host));
  if (named && xds.some((address) => address.kind === "unix")) {
    throw new ChanceryError(
      "invalid-input",
      "Cannot build a bootstrap: Envoy takes no cluster of both DNS names and Unix sockets",
    );
  }
  return {
    name: BOOTSTRAP.cluster,
    // Both read a changed name again; an IP address and a socket need no resolver.
    type: named ? "STRICT_DNS" : "STATIC",
    // "localhost" is ::1 first for Envoy, and nobody listens there.
    ...(named && { dns_lookup_family: "V4_PREFERRED" }),
    connect_timeout: BOOTSTRAP.connectTimeout,
    load_assignment: {
      cluster_name: BOOTSTRAP.cluster,
      endpoints: [{ lb_endpoints: xds.map((address) => ({ endpoint: { address: envoyAddress(address) } })) }],
    },
    typed_extension_protocol_options: {
      "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
        "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
        explicit_http_config: { http2_protocol_options: { connection_keepalive: { ...BOOTSTRAP.keepalive } } },
      },
    },
    ...(tls && { transport_socket: transportSocket(tls, xds) }),
  };
}

function envoyAddress(address: Address): Json {
  if (address.kind === "unix") return { pipe: { path: address.path } };
  return { socket_address: { address: address.host, port_value: address.port } };
}
