import type { MeshEntry } from "./entries.ts";

type Message = Readonly<Record<string, unknown>>;

/** On all addresses, as it always was. */
const ANY = "0.0.0.0";
/** Where the constant that is hashed lies within a TCP connection. */
const HASH_KEY = "servicemesh.l7mp.io.hash_key";

/** The Envoy listener of an entry. */
export function listenerOf(entry: MeshEntry): Message {
  return entry.protocol === "udp" ? udpListener(entry) : tcpListener(entry);
}

function udpListener({ name, port, cluster }: MeshEntry): Message {
  const hash = cluster.source_ip ? { source_ip: true } : cluster.hash_key ? { key: cluster.hash_key } : undefined;
  return {
    name,
    address: { socket_address: { protocol: "UDP", address: ANY, port_value: port } },
    enable_reuse_port: true,
    listener_filters: [{
      name: "envoy.filters.udp_listener.udp_proxy",
      typed_config: {
        "@type": "type.googleapis.com/envoy.extensions.filters.udp.udp_proxy.v3.UdpProxyConfig",
        stat_prefix: name,
        matcher: {
          on_no_match: {
            action: {
              name: "route",
              typed_config: {
                "@type": "type.googleapis.com/envoy.extensions.filters.udp.udp_proxy.v3.Route",
                cluster: cluster.name,
              },
            },
          },
        },
        ...(hash && { hash_policies: [hash] }), // an empty key would be refused
      },
    }],
  };
}

function tcpListener({ name, port, cluster }: MeshEntry): Message {
  const { source_ip, hash_key } = cluster;
  const hash = source_ip ? { source_ip: {} } : hash_key ? { filter_state: { key: HASH_KEY } } : undefined;
  const constant = !source_ip && hash_key ? [hashKeyFilter(hash_key)] : [];
  return {
    name,
    address: { socket_address: { address: ANY, port_value: port } },
    filter_chains: [{
      filters: [...constant, {
        name: "envoy.filters.network.tcp_proxy",
        typed_config: {
          "@type": "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
          stat_prefix: name,
          cluster: cluster.name,
          ...(hash && { hash_policy: [hash] }),
        },
      }],
    }],
  };
}

/** The TCP proxy hashes no constant, but what a filter before it has left on the connection. */
function hashKeyFilter(key: string): Message {
  return {
    name: "envoy.filters.network.set_filter_state",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.filters.network.set_filter_state.v3.Config",
      on_new_connection: [{
        object_key: HASH_KEY,
        factory_key: "envoy.hashable_string",
        // what looks like a command of a format string is meant literally
        format_string: { text_format_source: { inline_string: key.replaceAll("%", "%%") } },
      }],
    },
  };
}
