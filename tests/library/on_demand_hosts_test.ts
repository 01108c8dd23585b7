import { expect } from "expect";
import { XdsServer } from "../../mod.ts";
import { buildBootstrap, parseAddress } from "../../src/bootstrap/mod.ts";
import { eventually, freePort, HttpConnection, startEnvoy } from "../envoy/harness/mod.ts";

const FILTERS = "type.googleapis.com/envoy.extensions.filters";
const ADS = { ads: {}, resource_api_version: "V3" };

function listener(port: number): Record<string, unknown> {
  const manager = {
    "@type": `${FILTERS}.network.http_connection_manager.v3.HttpConnectionManager`,
    stat_prefix: "edge",
    rds: { route_config_name: "web", config_source: ADS },
    http_filters: [
      { name: "on_demand", typed_config: { "@type": `${FILTERS}.http.on_demand.v3.OnDemand` } },
      { name: "router", typed_config: { "@type": `${FILTERS}.http.router.v3.Router` } },
    ],
  };
  return {
    name: "edge",
    address: { socket_address: { address: "127.0.0.1", port_value: port } },
    filter_chains: [{ filters: [{ name: "http", typed_config: manager }] }],
  };
}

function host(name: string, domains: readonly string[], text: string): Record<string, unknown> {
  const answer = { status: 200, body: { inline_string: text } };
  return { name, domains, routes: [{ match: { prefix: "/" }, direct_response: answer }] };
}

Deno.test("W37: Envoy gets virtual hosts on demand, and an unknown host is answered 404 at once", async () => {
  await using server = await XdsServer.start({ bind: { host: "127.0.0.1", port: 0 } });
  const port = freePort();
  function serve(text: string): void {
    server.setSnapshot("edge", {
      listeners: [listener(port)],
      routes: [{ name: "web", vhds: { config_source: ADS } }],
      virtualHosts: [host("web/shop", ["shop.example", "*.shop.example"], text)],
    });
  }
  serve("one");
  const { bootstrap } = buildBootstrap({ nodeId: "edge", xds: [parseAddress(`127.0.0.1:${server.port}`)] });
  await using envoy = await startEnvoy({ bootstrap: JSON.parse(JSON.stringify(bootstrap)) });
  await eventually(() => envoy.ready(), {
    what: "Envoy to be ready without an initial fetch time-out",
    deadlineMs: 5_000,
  });
  async function ask(name: string): Promise<string> {
    using connection = await HttpConnection.open({ port });
    const { status, body } = await connection.get("/", { host: name });
    return `${status} ${body}`;
  }
  expect(await ask("shop.example")).toBe("200 one");
  expect(await ask("eu.shop.example")).toBe("200 one");
  const before = performance.now();
  expect(await ask("nobody.example")).toMatch(/^404/);
  expect(performance.now() - before).toBeLessThan(5_000); // a request that waits for an answer waits 15 s
  serve("two");
  await eventually(async () => (await ask("shop.example")) === "200 two", { what: "the changed virtual host" });
});
