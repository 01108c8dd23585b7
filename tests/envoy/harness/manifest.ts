/**
 * Small manifests, in the words of a user: what the tests put into the directory.
 * @module
 */

/** A document of a manifest, or a part of one. */
export type Fields = Record<string, unknown>;

const TYPE = "type.googleapis.com/";
const HTTP = `${TYPE}envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager`;
const ROUTER = `${TYPE}envoy.extensions.filters.http.router.v3.Router`;
const DOWNSTREAM_TLS = `${TYPE}envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext`;
const UPSTREAM_TLS = `${TYPE}envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext`;
const ADS = { ads: {}, resource_api_version: "V3" };

/** The EnvoyConfig of a node. */
export function envoyConfig(nodeID: string, resources: readonly Fields[], name = nodeID): Fields {
  return {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name, namespace: "default" },
    spec: { nodeID, resources },
  };
}

/** One server of the loopback, as an endpoint. */
export function endpoint(port: number): Fields {
  return { endpoint: { address: { socket_address: { address: "127.0.0.1", port_value: port } } } };
}

/** A ClusterLoadAssignment with one locality. */
export function loadAssignment(clusterName: string, ports: readonly number[]): Fields {
  return { cluster_name: clusterName, endpoints: [{ lb_endpoints: ports.map(endpoint) }] };
}

/** An item of type `cluster` with its endpoints inside. */
export function staticCluster(name: string, ports: readonly number[], more: Fields = {}): Fields {
  return {
    type: "cluster",
    value: { name, type: "STATIC", connect_timeout: "1s", load_assignment: loadAssignment(name, ports), ...more },
  };
}

/** An item of type `cluster` that asks for its endpoints. */
export function edsCluster(name: string, more: Fields = {}): Fields {
  return {
    type: "cluster",
    value: { name, type: "EDS", connect_timeout: "1s", eds_cluster_config: { eds_config: ADS }, ...more },
  };
}

/** An item of type `endpoint`. */
export function endpoints(clusterName: string, ports: readonly number[]): Fields {
  return { type: "endpoint", value: loadAssignment(clusterName, ports) };
}

/** For a cluster: asks `/healthz` ten times a second. */
export function healthChecks(): Fields {
  return {
    health_checks: [{
      timeout: "0.5s",
      interval: "0.1s",
      no_traffic_interval: "0.1s",
      unhealthy_threshold: 2,
      healthy_threshold: 1,
      http_health_check: { path: "/healthz" },
    }],
  };
}

/** For a cluster: TLS, with the server's certificate checked against an SDS validation context. */
export function upstreamTls(validationSecret: string, serverName: string): Fields {
  return {
    transport_socket: {
      name: "tls",
      typed_config: {
        "@type": UPSTREAM_TLS,
        sni: serverName,
        common_tls_context: { validation_context_sds_secret_config: { name: validationSecret, sds_config: ADS } },
      },
    },
  };
}

/** What requests get: the answer of a cluster, or a text from Envoy itself. */
export type RouteTarget = { readonly cluster: string } | { readonly text: string };

/** A RouteConfiguration that sends everything to one target. */
export function routeConfiguration(name: string, target: RouteTarget): Fields {
  const action = "cluster" in target
    ? { route: { cluster: target.cluster } }
    : { direct_response: { status: 200, body: { inline_string: target.text } } };
  return { name, virtual_hosts: [{ name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, ...action }] }] };
}

/** An item of type `route`. */
export function route(name: string, target: RouteTarget): Fields {
  return { type: "route", value: routeConfiguration(name, target) };
}

/** Options of {@linkcode listener}. */
export interface ListenerOptions {
  /** Address that it listens on; the loopback when absent. */
  readonly host?: string;
  readonly port: number;
  /** Inline routes, or the name of a route configuration. */
  readonly routes: RouteTarget | { readonly rds: string };
  /** HTTPS with the certificate of this SDS secret. */
  readonly certificate?: string;
}

/** An item of type `listener`: HTTP on the loopback. */
export function listener(name: string, options: ListenerOptions): Fields {
  const { host = "127.0.0.1", port, routes, certificate } = options;
  const http = {
    "@type": HTTP,
    stat_prefix: name,
    http_filters: [{ name: "router", typed_config: { "@type": ROUTER } }],
    ...("rds" in routes
      ? { rds: { route_config_name: routes.rds, config_source: ADS } }
      : { route_config: routeConfiguration("inline", routes) }),
  };
  return {
    type: "listener",
    value: {
      name,
      address: { socket_address: { address: host, port_value: port } },
      filter_chains: [{
        filters: [{ name: "http", typed_config: http }],
        ...(certificate !== undefined && { transport_socket: downstreamTls(certificate) }),
      }],
    },
  };
}

function downstreamTls(secret: string): Fields {
  const tls_certificate_sds_secret_configs = [{ name: secret, sds_config: ADS }];
  return {
    name: "tls",
    typed_config: { "@type": DOWNSTREAM_TLS, common_tls_context: { tls_certificate_sds_secret_configs } },
  };
}

/** An item of type `secret` from a TLS Secret. */
export function tlsSecretItem(name: string, more: Fields = {}): Fields {
  return { type: "secret", generateFromTlsSecret: name, ...more };
}

/** A TLS Secret. */
export function tlsSecret(name: string, content: { cert: string; key: string; ca?: string }): Fields {
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name, namespace: "default" },
    type: "kubernetes.io/tls",
    data: {
      "tls.crt": btoa(content.cert),
      "tls.key": btoa(content.key),
      ...(content.ca !== undefined && { "ca.crt": btoa(content.ca) }),
    },
  };
}

/** An EndpointSlice of a Service with one named port. */
export function endpointSlice(service: string, port: number, addresses: readonly string[]): Fields {
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { name: `${service}-1`, namespace: "default", labels: { "kubernetes.io/service-name": service } },
    addressType: "IPv4",
    ports: [{ name: "http", port, protocol: "TCP" }],
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
  };
}
