import { expect } from "expect";
import {
  eachLink,
  edsCluster,
  endpointSlice,
  envoyConfig,
  freePort,
  httpGet,
  listener,
  startLoad,
  startUpstream,
  startWorld,
} from "./harness/mod.ts";

eachLink("endpoints that an EndpointSlice changes move the load without a lost request", async (link) => {
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const port = freePort();
  const generateFromEndpointSlices = {
    clusterName: "api",
    targetPort: "http",
    selector: { matchLabels: { "kubernetes.io/service-name": "api" } },
  };
  const resources = [
    edsCluster("api"),
    { type: "endpoint", generateFromEndpointSlices },
    listener("in", { port, routes: { cluster: "api" } }),
  ];
  await using world = await startWorld(link, {
    files: {
      "edge.yaml": [envoyConfig("edge", resources)],
      "slice.yaml": [endpointSlice("api", blue.port, ["127.0.0.1"])],
    },
  });
  expect((await httpGet({ port })).body).toBe("blue");
  await using load = startLoad({ target: { port } });
  for (let round = 1; round <= 10; round++) {
    const upstream = round % 2 === 0 ? blue : green;
    world.chancery.write("slice.yaml", [endpointSlice("api", upstream.port, ["127.0.0.1"])]);
    await world.wait(`${upstream.name} to answer`, async () => (await httpGet({ port })).body === upstream.name);
  }
  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(report.requests).toBeGreaterThan(400);
  // Endpoints are data: neither clusters nor listeners were touched.
  expect(await world.envoy.stat("cluster_manager.cluster_modified")).toBe(0);
  expect(await world.envoy.stat("listener_manager.listener_modified")).toBe(0);

  // No endpoint is an answer, too.
  world.chancery.write("slice.yaml", [endpointSlice("api", blue.port, [])]);
  await world.wait("Envoy to have no endpoint", async () => (await httpGet({ port })).status === 503);
  world.chancery.write("slice.yaml", [endpointSlice("api", blue.port, ["127.0.0.1"])]);
  await world.wait("blue to be back", async () => (await httpGet({ port })).body === "blue");
});
