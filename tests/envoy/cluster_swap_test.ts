import { expect } from "expect";
import {
  eachLink,
  envoyConfig,
  type Fields,
  freePort,
  httpGet,
  listener,
  route,
  startLoad,
  startUpstream,
  startWorld,
  staticCluster,
} from "./harness/mod.ts";

eachLink("clusters that are swapped together with their routes lose no request", async (link) => {
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const port = freePort();

  /** Each round has a cluster of its own; the one before is gone. */
  function config(round: number): Fields[] {
    const upstream = round % 2 === 0 ? blue : green;
    return [envoyConfig("edge", [
      staticCluster(`round-${round}`, [upstream.port]),
      listener("in", { port, routes: { rds: "routes" } }),
      route("routes", { cluster: `round-${round}` }),
    ])];
  }

  await using world = await startWorld(link, {
    files: { "edge.yaml": config(0) },
    args: ["--removal-delay", "200ms"],
  });
  await using load = startLoad({ target: { port } });
  for (let round = 1; round <= 8; round++) {
    world.chancery.write("edge.yaml", config(round));
    await world.wait(`round ${round} to take effect`, async () => {
      const { body } = await httpGet({ port });
      return body === (round % 2 === 0 ? "blue" : "green");
    });
    await world.wait(`the cluster of round ${round - 1} to go`, async () => {
      const names = await world.envoy.clusterNames();
      return names.includes(`round-${round}`) && !names.includes(`round-${round - 1}`);
    });
  }
  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(report.requests).toBeGreaterThan(400);
});

eachLink("a cluster outlives the connections that an old listener still drains", async (link) => {
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const port = freePort();

  function config(color: string, upstreamPort: number): Fields[] {
    return [envoyConfig("edge", [
      staticCluster(color, [upstreamPort]),
      listener("in", { port, routes: { cluster: color } }),
    ])];
  }

  await using world = await startWorld(link, {
    files: { "edge.yaml": config("blue", blue.port) },
    args: ["--removal-delay", "3s"],
    envoy: { drainSeconds: 1 },
  });
  await using load = startLoad({ target: { port } });
  await world.wait("load", () => load.requests > 100);
  world.chancery.write("edge.yaml", config("green", green.port));
  await world.wait("the new listener", async () => (await httpGet({ port })).body === "green");
  await world.wait("the old cluster to go", async () => !(await world.envoy.clusterNames()).includes("blue"), 15_000);
  const seen = load.requests;
  await world.wait("load after the removal", () => load.requests > seen + 100);
  expect(await load.stop()).toMatchObject({ failed: 0, failures: [] });
});
