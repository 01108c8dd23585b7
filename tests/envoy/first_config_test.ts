import { expect } from "expect";
import {
  eachLink,
  envoyConfig,
  freePort,
  httpGet,
  listener,
  startUpstream,
  startWorld,
  staticCluster,
} from "./harness/mod.ts";

eachLink("the first configuration reaches Envoy and is reported as accepted", async (link) => {
  await using blue = startUpstream("blue");
  const port = freePort();
  const resources = [staticCluster("blue", [blue.port]), listener("in", { port, routes: { cluster: "blue" } })];
  await using world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", resources)] } });

  expect(await httpGet({ port })).toMatchObject({ status: 200, body: "blue" });
  expect(await world.envoy.stat("cluster_manager.cds.update_rejected")).toBe(0);
  expect(await world.envoy.stat("listener_manager.lds.update_rejected")).toBe(0);
  const types = await world.wait("the acknowledgements in /status", async () => {
    const types = await world.chancery.typesOf("edge");
    return ["CDS", "LDS"].every((name) => types?.get(name)?.accepted === types?.get(name)?.sent) && types;
  });
  expect([...types.values()].filter(({ rejected }) => rejected)).toEqual([]);
  const { nodes, findings } = await world.chancery.status();
  expect(nodes[0]!.streams[0]).toMatchObject({ protocol: link.mode, client: "envoy 1.40.0" });
  expect(nodes[0]!.streams[0]!.certificate).toEqual(link.tls ? expect.stringContaining("xds-client") : undefined);
  expect(findings).toEqual([]);
});

eachLink("W8: types that are left empty keep no Envoy waiting", async (link) => {
  const port = freePort();
  const resources = [listener("in", { port, routes: { text: "hello" } })];
  const started = performance.now();
  await using _world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", resources)] } });
  expect((await httpGet({ port })).body).toBe("hello");
  // The initial fetch time-out, which it would wait for, is 15 s.
  expect(performance.now() - started).toBeLessThan(10_000);
});

eachLink("W8: a configuration without any resource lets Envoy start", async (link) => {
  const started = performance.now();
  await using _world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", [])] } });
  expect(performance.now() - started).toBeLessThan(10_000);
});
