import { expect } from "expect";
import {
  edsCluster,
  endpointSlice,
  envoyConfig,
  eventually,
  type Fields,
  route,
  type RunningProcess,
  startProcess,
  startStandalone,
} from "./harness/mod.ts";

const TYPE = "type.googleapis.com/envoy.extensions.filters";

function program(file: string, argument: string, env: Record<string, string> = {}): RunningProcess {
  return startProcess({
    name: file,
    command: Deno.execPath(),
    args: ["run", "--quiet", "--allow-all", new URL(`grpc/${file}.ts`, import.meta.url).pathname, argument],
    env,
  });
}

/** The port that the server says it has. */
async function portOf(server: RunningProcess): Promise<number> {
  return await eventually(() => {
    return Number(server.lines.map((line) => /^port (\d+)$/.exec(line)?.[1]).find(Boolean)) || undefined;
  }, { what: "the gRPC server", explain: () => server.tail() });
}

Deno.test("a gRPC client that speaks xDS itself resolves a target and follows its endpoints", async () => {
  await using blue = program("server", "blue");
  await using green = program("server", "green");
  const ports = { blue: await portOf(blue), green: await portOf(green) };
  const api_listener = {
    api_listener: {
      "@type": `${TYPE}.network.http_connection_manager.v3.HttpConnectionManager`,
      stat_prefix: "shop",
      rds: { route_config_name: "shop-routes", config_source: { ads: {}, resource_api_version: "V3" } },
      http_filters: [{ name: "router", typed_config: { "@type": `${TYPE}.http.router.v3.Router` } }],
    },
  };

  const generateFromEndpointSlices = {
    clusterName: "shop-cluster",
    targetPort: "http",
    selector: { matchLabels: { "kubernetes.io/service-name": "shop" } },
  };

  function config(port: number): Fields[] {
    return [
      envoyConfig("grpc-client", [
        { type: "listener", value: { name: "shop", api_listener } },
        route("shop-routes", { cluster: "shop-cluster" }),
        edsCluster("shop-cluster"),
        { type: "endpoint", generateFromEndpointSlices },
      ]),
      endpointSlice("shop", port, ["127.0.0.1"]),
    ]; // no zone: gRPC's clients want a locality all the same
  }

  await using chancery = await startStandalone({ files: { "grpc.yaml": config(ports.blue) } });
  const xds_servers = [{
    server_uri: chancery.xdsAddress,
    channel_creds: [{ type: "insecure" }],
    server_features: ["xds_v3"],
  }];
  await using client = program("client", "xds:///shop", {
    GRPC_XDS_BOOTSTRAP_CONFIG: JSON.stringify({ xds_servers, node: { id: "grpc-client", locality: {} } }),
  });
  const explain = () => `${client.tail()}\n${chancery.process.tail()}`;
  await eventually(() => client.lines.some((line) => line.startsWith("answer blue")), { what: "blue", explain });
  chancery.write("grpc.yaml", config(ports.green));
  await eventually(() => client.lines.some((line) => line.startsWith("answer green")), { what: "green", explain });
  expect(client.lines.filter((line) => line.startsWith("error"))).toEqual([]);
});
