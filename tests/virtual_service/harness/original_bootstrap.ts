import type { Fields } from "../../envoy/harness/mod.ts";

/**
 * The bootstrap that Envoys of the original have: the pod's UID as node id, a static cluster `xds_cluster`, a stream for listeners
 * and another one for clusters, delta, each request with the node, no TLS.
 */
export function originalBootstrap(podUid: string, { xdsAddress }: { xdsAddress: string }): Fields {
  const [address, port] = xdsAddress.split(":");
  return {
    node: { id: podUid, cluster: "test" },
    dynamic_resources: { lds_config: fromOperator(), cds_config: fromOperator() },
    static_resources: {
      clusters: [{
        name: "xds_cluster",
        type: "STRICT_DNS",
        connect_timeout: "1s",
        typed_extension_protocol_options: {
          "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
            "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
            explicit_http_config: { http2_protocol_options: {} },
          },
        },
        load_assignment: {
          cluster_name: "xds_cluster",
          endpoints: [{
            lb_endpoints: [{ endpoint: { address: { socket_address: { address, port_value: Number(port) } } } }],
          }],
        },
      }],
    },
  };
}

function fromOperator(): Fields {
  return {
    resource_api_version: "V3",
    api_config_source: {
      api_type: "DELTA_GRPC",
      transport_api_version: "V3",
      grpc_services: [{ envoy_grpc: { cluster_name: "xds_cluster" } }],
    },
  };
}
