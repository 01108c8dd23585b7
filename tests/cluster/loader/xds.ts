/**
 * What Envoy reads from files, in the words of a user: discovery responses as text.
 * @module
 */
import { type Fields, loadAssignment } from "../../envoy/harness/mod.ts";

const TYPE = "type.googleapis.com/";
const HTTP = `${TYPE}envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`;
const ROUTER = `${TYPE}envoy.extensions.filters.http.router.v3.Router`;
const DOWNSTREAM_TLS = `${TYPE}envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext`;

/** A discovery response with resources of one type. */
export function response(message: string, resources: readonly Fields[]): string {
  return `${JSON.stringify({ resources: resources.map((value) => ({ "@type": `${TYPE}${message}`, ...value })) })}\n`;
}

/** Where Envoy reads something, below the folder that the loader writes to. */
export function source(root: string, file: string, watched?: string): Fields {
  const path = `${root}/current/${file}`;
  const watched_directory = watched === undefined ? {} : { watched_directory: { path: watched } };
  return { path_config_source: { path, ...watched_directory }, resource_api_version: "V3" };
}

/** Clusters with their endpoints inside. */
export function cds(...clusters: readonly Fields[]): string {
  return response("envoy.config.cluster.v3.Cluster", clusters);
}

export function staticCluster(name: string, port: number): Fields {
  return { name, type: "STATIC", connect_timeout: "1s", load_assignment: loadAssignment(name, [port]) };
}

export function edsCluster(root: string, name: string, watched?: string): Fields {
  return {
    name,
    type: "EDS",
    connect_timeout: "1s",
    eds_cluster_config: { eds_config: source(root, `eds-${name}.yaml`, watched) },
  };
}

/** The endpoints of a cluster; Envoy takes one set from a file. */
export function eds(cluster: string, ...ports: readonly number[]): string {
  return response("envoy.config.endpoint.v3.ClusterLoadAssignment", [loadAssignment(cluster, ports)]);
}

/** One route table whose only route goes to clusters by weight. */
export function rds(weights: Readonly<Record<string, number>>, name = "main"): string {
  const clusters = Object.entries(weights).map(([cluster, weight]) => ({ name: cluster, weight }));
  return response("envoy.config.route.v3.RouteConfiguration", [{
    name,
    virtual_hosts: [{
      name: "all",
      domains: ["*"],
      routes: [{ match: { prefix: "/" }, route: { weighted_clusters: { clusters } } }],
    }],
  }]);
}

export function lds(...listeners: readonly Fields[]): string {
  return response("envoy.config.listener.v3.Listener", listeners);
}

/** A listener that takes its routes, and with `secret` its certificate, from files. */
export function listener(
  root: string,
  { name, port, secret, watched, routes = "main" }: {
    readonly name: string;
    readonly port: number;
    readonly secret?: string;
    readonly watched?: string;
    /** Name of the route table; `main` when absent. */
    readonly routes?: string;
  },
): Fields {
  const http = {
    "@type": HTTP,
    stat_prefix: name,
    rds: { route_config_name: routes, config_source: source(root, "rds.yaml", watched) },
    http_filters: [{ name: "router", typed_config: { "@type": ROUTER } }],
  };
  const tls = secret === undefined ? {} : {
    transport_socket: {
      name: "tls",
      typed_config: {
        "@type": DOWNSTREAM_TLS,
        common_tls_context: {
          tls_certificate_sds_secret_configs: [{ name: secret, sds_config: source(root, "sds.yaml", watched) }],
        },
      },
    },
  };
  return {
    name,
    address: { socket_address: { address: "127.0.0.1", port_value: port } },
    filter_chains: [{ filters: [{ name: "http", typed_config: http }], ...tls }],
  };
}

/** A certificate with its key. */
export function sds(name: string, { cert, key }: { readonly cert: string; readonly key: string }): string {
  return response("envoy.extensions.transport_sockets.tls.v3.Secret", [{
    name,
    tls_certificate: { certificate_chain: { inline_string: cert }, private_key: { inline_string: key } },
  }]);
}

/** An Envoy that takes everything from files. */
export function bootstrap(root: string, watched?: string): Fields {
  return {
    node: { id: "edge", cluster: "edge" },
    dynamic_resources: {
      cds_config: source(root, "cds.yaml", watched),
      lds_config: source(root, "lds.yaml", watched),
    },
  };
}
