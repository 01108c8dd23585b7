/** How long `chancery validate` takes; the bounds leave room for a busy machine. */
import { expect } from "expect";
import { config, Scene } from "./scene.ts";

function items(of: number): string[] {
  const eds = "eds_cluster_config: {eds_config: {ads: {}, resource_api_version: V3}}";
  const clusters = [0, 1, 2, 3].flatMap((n) => [
    `{type: cluster, value: {name: api-${n}, type: EDS, connect_timeout: 1s, lb_policy: LEAST_REQUEST, ${eds}}}`,
    `{type: endpoint, value: {cluster_name: api-${n}, endpoints: [{lb_endpoints: [{endpoint: {address: ` +
    `{socket_address: {address: 10.0.${of % 250}.${n}, port_value: 8080}}}}]}]}}`,
  ]);
  const routes = [0, 1, 2, 3].map((n) => `{match: {prefix: /${n}}, route: {cluster: api-${n}, timeout: 15s}}`).join(
    ", ",
  );
  const manager =
    "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager";
  return [
    ...clusters,
    `{type: route, value: {name: main, virtual_hosts: [{name: all, domains: ["*"], routes: [${routes}]}]}}`,
    `{type: listener, value: {name: http, address: {socket_address: {address: 0.0.0.0, port_value: 8080}}, filter_chains: ` +
    `[{filters: [{name: http, typed_config: {"@type": ${manager}, stat_prefix: http, ` +
    `rds: {route_config_name: main, config_source: {ads: {}, resource_api_version: V3}}, http_filters: ` +
    `[{name: router, typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}}]}}]}]}}`,
  ];
}

Deno.test("1,000 EnvoyConfigs of 10 resources are validated in a few seconds, in one process", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 1000 }, (_, n) => [`ec/${n}.yaml`, config(`edge-${n}`, ...items(n))]),
  );
  await using scene = await Scene.open(files);
  const start = performance.now();
  const { status, out } = await scene.validate(scene.path("ec"));
  const took = performance.now() - start;
  expect({ status, out }).toEqual({ status: 0, out: "no findings in 1000 EnvoyConfigs of 1000 files\n" });
  expect(took).toBeLessThan(15_000);
});
