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

const CHANGES = 20;

eachLink("20 route changes lose no request, with inline routes and with RDS", async (link) => {
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const [inline, rds] = [freePort(), freePort()];

  function config(color: string): Fields[] {
    return [envoyConfig("edge", [
      staticCluster("blue", [blue.port]),
      staticCluster("green", [green.port]),
      listener("inline", { port: inline, routes: { cluster: color } }),
      listener("rds", { port: rds, routes: { rds: "routes" } }),
      route("routes", { cluster: color }),
    ])];
  }

  await using world = await startWorld(link, { files: { "edge.yaml": config("blue") } });
  await using inlineLoad = startLoad({ target: { port: inline } });
  await using rdsLoad = startLoad({ target: { port: rds } });
  for (let change = 1; change <= CHANGES; change++) {
    const color = change % 2 === 0 ? "blue" : "green";
    const before = [inlineLoad.requests, rdsLoad.requests];
    world.chancery.write("edge.yaml", config(color));
    await world.wait(`change ${change} to take effect`, async () => {
      const answers = await Promise.all([httpGet({ port: inline }), httpGet({ port: rds })]);
      return answers.every(({ body }) => body === color);
    });
    await world.wait(
      "load after the change",
      () => inlineLoad.requests > before[0]! + 50 && rdsLoad.requests > before[1]! + 50,
    );
  }

  for (const report of [await inlineLoad.stop(), await rdsLoad.stop()]) {
    expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
    expect(report.requests).toBeGreaterThan(50 * CHANGES);
    expect([...report.bodies.keys()].sort()).toEqual(["blue", "green"]);
  }
});
