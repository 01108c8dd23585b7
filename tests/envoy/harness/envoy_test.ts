import { expect } from "expect";
import { eventually, freePort, startEnvoy, startLoad, startUpstream } from "./mod.ts";

Deno.test("a real Envoy starts, passes a load on without a failure, and stops", async () => {
  await using upstream = startUpstream("blue");
  const port = freePort();
  await using envoy = await startEnvoy({ bootstrap: staticBootstrap(port, upstream.port) });
  await eventually(() => envoy.ready(), { what: "Envoy to be ready" });

  await using load = startLoad({ target: { port } });
  await eventually(() => load.requests > 200, { what: "200 requests" });
  const report = await load.stop();

  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(report.bodies).toEqual(new Map([["blue", report.requests]]));
  expect(upstream.requests).toBe(report.requests);
  expect(await envoy.clusterNames()).toEqual(["upstream"]);
  expect(await envoy.stat("cluster.upstream.upstream_rq_completed")).toBe(report.requests);
  expect(JSON.parse(await envoy.configDump())).toHaveProperty("configs");
  await envoy.stop();
});

/** An Envoy that needs no control plane. */
function staticBootstrap(port: number, upstreamPort: number): Record<string, unknown> {
  const http = {
    "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
    stat_prefix: "in",
    http_filters: [{
      name: "router",
      typed_config: { "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router" },
    }],
    route_config: {
      virtual_hosts: [{
        name: "all",
        domains: ["*"],
        routes: [{ match: { prefix: "/" }, route: { cluster: "upstream" } }],
      }],
    },
  };
  const lb_endpoints = [{
    endpoint: { address: { socket_address: { address: "127.0.0.1", port_value: upstreamPort } } },
  }];
  return {
    static_resources: {
      listeners: [{
        name: "in",
        address: { socket_address: { address: "127.0.0.1", port_value: port } },
        filter_chains: [{ filters: [{ name: "http", typed_config: http }] }],
      }],
      clusters: [{
        name: "upstream",
        type: "STATIC",
        connect_timeout: "1s",
        load_assignment: { cluster_name: "upstream", endpoints: [{ lb_endpoints }] },
      }],
    },
  };
}
