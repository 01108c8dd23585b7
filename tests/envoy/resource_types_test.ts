import { expect } from "expect";
import {
  eachLink,
  envoyConfig,
  type Fields,
  freePort,
  HttpConnection,
  LINKS,
  listener,
  routeConfiguration,
  startUpstream,
  startWorld,
  staticCluster,
} from "./harness/mod.ts";

const FILTERS = "type.googleapis.com/envoy.extensions.filters.http";
const ADS = { ads: {}, resource_api_version: "V3" };

/** The HttpConnectionManager of an item that {@linkcode listener} made. */
function http(item: Fields): Fields {
  // The shape is the one that listener() gives.
  const { value } = item as { value: { filter_chains: { filters: { typed_config: Fields }[] }[] } };
  return value.filter_chains[0]!.filters[0]!.typed_config;
}

/** An item of type `listener` whose HttpConnectionManager has other fields, too. */
function listenerWith(name: string, port: number, more: Fields): Fields {
  const item = listener(name, { port, routes: { rds: "unused" } });
  const manager = http(item);
  delete manager["rds"];
  Object.assign(manager, more);
  return item;
}

async function get(port: number, host: string, path = "/") {
  using connection = await HttpConnection.open({ port });
  return await connection.get(path, { host, close: true });
}

const ROUTER = { name: "router", typed_config: { "@type": `${FILTERS}.router.v3.Router` } };

eachLink("RTDS fills the runtime layer, follows it, and empties it", async (link) => {
  const runtime = (layer: Fields) => ({ type: "runtime", value: { name: "runtime", layer } });
  await using world = await startWorld(link, {
    files: { "edge.yaml": [envoyConfig("edge", [runtime({ shop: { percent: 1 } })])] },
    args: ["--removal-delay", "200ms"],
  });
  const entry = async () => JSON.parse(await world.envoy.admin("/runtime")).entries["shop.percent"]?.final_value;
  expect(await entry()).toBe("1");
  world.chancery.write("edge.yaml", [envoyConfig("edge", [runtime({ shop: { percent: 2 } })])]);
  await world.wait("the second value", async () => await entry() === "2");
  world.chancery.write("edge.yaml", [envoyConfig("edge", [])]);
  await world.wait("no value", async () => await entry() === undefined);
});

eachLink("ECDS configures a filter, and changes it without touching its listener", async (link) => {
  const port = freePort();
  const filter = (value: string) => ({
    type: "extensionConfig",
    value: {
      name: "stamp",
      typed_config: {
        "@type": `${FILTERS}.header_mutation.v3.HeaderMutation`,
        mutations: { response_mutations: [{ append: { header: { key: "x-stamp", value } } }] },
      },
    },
  });
  const discovery = { config_source: ADS, type_urls: [`${FILTERS}.header_mutation.v3.HeaderMutation`] };
  const config = (value: string) => [
    envoyConfig("edge", [
      listenerWith("in", port, {
        route_config: routeConfiguration("inline", { text: "hello" }),
        http_filters: [{ name: "stamp", config_discovery: discovery }, ROUTER],
      }),
      filter(value),
    ]),
  ];
  await using world = await startWorld(link, { files: { "edge.yaml": config("one") } });
  expect((await get(port, "test")).headers.get("x-stamp")).toBe("one");
  world.chancery.write("edge.yaml", config("two"));
  await world.wait("the second stamp", async () => (await get(port, "test")).headers.get("x-stamp") === "two");
  expect(await world.envoy.stat("listener_manager.listener_modified")).toBe(0);
});

eachLink("SRDS chooses the routes by a header, and follows changes", async (link) => {
  const port = freePort();
  const scope = (key: string, routes: string) => ({
    type: "scopedRoute",
    value: { name: key, route_configuration_name: routes, key: { fragments: [{ string_key: key }] } },
  });
  const header = { name: "host", element_separator: ".", index: 0 };
  const config = (west: string) => [
    envoyConfig("edge", [
      listenerWith("in", port, {
        scoped_routes: {
          name: "scopes",
          scope_key_builder: { fragments: [{ header_value_extractor: header }] },
          rds_config_source: ADS,
          scoped_rds: { scoped_rds_config_source: ADS },
        },
      }),
      scope("east", "east-routes"),
      scope("west", west),
      { type: "route", value: routeConfiguration("east-routes", { text: "east" }) },
      { type: "route", value: routeConfiguration("west-routes", { text: "west" }) },
    ]),
  ];
  await using world = await startWorld(link, { files: { "edge.yaml": config("west-routes") } });
  expect((await get(port, "east.test")).body).toBe("east");
  expect((await get(port, "west.test")).body).toBe("west");
  world.chancery.write("edge.yaml", config("east-routes"));
  await world.wait("the other routes", async () => (await get(port, "west.test")).body === "east");
  expect((await get(port, "east.test")).body).toBe("east");
});

eachLink("VHDS brings a virtual host when it is asked for, and says at once that one does not exist", async (link) => {
  const port = freePort();
  const host = (name: string, text: string) => ({
    type: "virtualHost",
    routeConfiguration: "routes",
    value: {
      name,
      domains: [`${name}.test`],
      routes: [{ match: { prefix: "/" }, direct_response: { status: 200, body: { inline_string: text } } }],
    },
  });
  const config = (text: string) => [
    envoyConfig("edge", [
      listenerWith("in", port, {
        rds: { route_config_name: "routes", config_source: ADS },
        http_filters: [{ name: "on-demand", typed_config: { "@type": `${FILTERS}.on_demand.v3.OnDemand` } }, ROUTER],
      }),
      { type: "route", value: { name: "routes", vhds: { config_source: ADS } } },
      host("shop", text),
    ]),
  ];
  await using world = await startWorld(link, { files: { "edge.yaml": config("hello") } });
  expect((await get(port, "shop.test")).body).toBe("hello");
  const started = performance.now();
  expect((await get(port, "nobody.test")).status).toBe(404);
  expect(performance.now() - started).toBeLessThan(2000);
  world.chancery.write("edge.yaml", config("hello again"));
  await world.wait("the new text", async () => (await get(port, "shop.test")).body === "hello again");
}, LINKS.filter(({ mode }) => mode === "delta")); // VHDS has no other.

eachLink("a cluster asked for on demand is there or known not to be, at once", async (link) => {
  await using blue = startUpstream("blue");
  const port = freePort();
  const onDemand = { "@type": `${FILTERS}.on_demand.v3.OnDemand`, odcds: { source: ADS, timeout: "5s" } };
  const routes = [{ match: { prefix: "/" }, route: { cluster_header: "host" } }];
  const resources = [
    listenerWith("in", port, {
      route_config: { name: "inline", virtual_hosts: [{ name: "all", domains: ["*"], routes }] },
      http_filters: [{ name: "on-demand", typed_config: onDemand }, ROUTER],
    }),
    staticCluster("blue", [blue.port]),
  ];
  await using _world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", resources)] } });
  expect((await get(port, "blue")).body).toBe("blue");
  const started = performance.now();
  expect((await get(port, "nobody")).status).toBe(503);
  expect(performance.now() - started).toBeLessThan(2000);
}, LINKS.filter(({ mode }) => mode === "delta")); // Envoy asks on demand by delta only.
