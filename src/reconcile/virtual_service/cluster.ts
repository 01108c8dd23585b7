import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import type { MeshAddress } from "./endpoints.ts";
import type { MeshEntry } from "./entries.ts";

type Message = Readonly<Record<string, unknown>>;

/** How a client that has endpoints on their own gets them: on the one stream of all types, or, like the clients of the original, on a stream of their own. */
export type EndpointsBy = "ads" | "own-stream";

const CONNECT_TIMEOUT = "5s";
const HEALTH_CHECK_TIMEOUT = "0.1s";

/** The Envoy cluster of an entry; endpoints that come on their own are no part of it. */
export function clusterOf(
  { protocol, cluster }: MeshEntry,
  { addresses, endpointsBy }: { addresses: readonly MeshAddress[]; endpointsBy: EndpointsBy },
): Message {
  const { name, service_discovery, health_check } = cluster;
  return {
    name,
    connect_timeout: CONNECT_TIMEOUT,
    lb_policy: "MAGLEV",
    common_lb_config: { healthy_panic_threshold: { value: 0 } },
    ignore_health_on_host_removal: true,
    ...(service_discovery === "strictdns"
      ? { type: "STRICT_DNS", load_assignment: assignmentOf(name, { protocol, addresses }) }
      : {
        type: "EDS",
        eds_cluster_config: { eds_config: { ...SOURCES[endpointsBy], resource_api_version: "V3" } },
      }),
    ...(health_check && { health_checks: [healthCheck(health_check.interval)] }),
  };
}

const SOURCES: Readonly<Record<EndpointsBy, Message>> = {
  ads: { ads: {} },
  "own-stream": {
    api_config_source: {
      api_type: "DELTA_GRPC",
      transport_api_version: "V3",
      set_node_on_first_message_only: true,
      grpc_services: [{ envoy_grpc: { cluster_name: BOOTSTRAP.cluster } }],
    },
  },
};

/** The endpoints of a cluster. Maglev places each by its address, so that it keeps its place when others come and go. */
export function assignmentOf(
  name: string,
  { protocol, addresses }: { protocol: MeshEntry["protocol"]; addresses: readonly MeshAddress[] },
): Message {
  const endpoints = addresses.map(({ address, port, healthCheckPort }) => ({
    endpoint: {
      address: { socket_address: { ...(protocol === "udp" && { protocol: "UDP" }), address, port_value: port } },
      ...(healthCheckPort !== undefined && { health_check_config: { port_value: healthCheckPort } }),
    },
    metadata: { filter_metadata: { "envoy.lb": { hash_key: address } } },
  }));
  return { cluster_name: name, ...(endpoints.length > 0 && { endpoints: [{ lb_endpoints: endpoints }] }) };
}

/** One check decides either way: fail-over takes about one interval. A connection that is accepted is a good sign. */
function healthCheck(intervalMs: number): Message {
  const interval = `${intervalMs / 1000}s`;
  return {
    timeout: HEALTH_CHECK_TIMEOUT,
    interval,
    no_traffic_interval: interval,
    unhealthy_threshold: 1,
    healthy_threshold: 1,
    tcp_health_check: {},
  };
}
