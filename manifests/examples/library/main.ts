// A control plane in thirty lines: one node, one listener, a greeting that changes every second.
//   deno run -A manifests/examples/library/main.ts, then start an Envoy with:
//   deno run -A cli.ts bootstrap --node-id edge --xds-address 127.0.0.1:18000 > edge.json && envoy -c edge.json
import { XdsServer } from "../../../mod.ts";

const ENVOY = "type.googleapis.com/envoy.extensions.filters";
const [port = "18000", listenerPort = "10000", intervalMs = "1000"] = Deno.args;

await using server = await XdsServer.start({
  bind: { host: "127.0.0.1", port: Number(port) },
  onAck: ({ nodeId, type, version }) => console.log(`${nodeId} has ${type} ${version}`),
  onNack: ({ nodeId, type, message }) => console.error(`${nodeId} refused ${type}: ${message}`),
});
console.log(`listening on ${server.address}`);

const router = { name: "router", typed_config: { "@type": `${ENVOY}.http.router.v3.Router` } };
const manager = {
  "@type": `${ENVOY}.network.http_connection_manager.v3.HttpConnectionManager`,
  stat_prefix: "edge",
  rds: { route_config_name: "greeting", config_source: { ads: {}, resource_api_version: "V3" } },
  http_filters: [router],
};
const listener = {
  name: "edge",
  address: { socket_address: { address: "127.0.0.1", port_value: Number(listenerPort) } },
  filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
};
for (let count = 1; count <= 1_000; count++) {
  const answer = { status: 200, body: { inline_string: `hello ${count}\n` } };
  const host = { name: "all", domains: ["*"], routes: [{ match: { prefix: "/" }, direct_response: answer }] };
  server.setSnapshot("edge", {
    listeners: [listener],
    routes: [{ name: "greeting", virtual_hosts: [host] }],
    versions: { listeners: "1", routes: String(count) },
  });
  await new Promise((resolve) => setTimeout(resolve, Number(intervalMs)));
}
