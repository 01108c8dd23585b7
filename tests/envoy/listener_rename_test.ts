import { expect } from "expect";
import {
  eachLink,
  envoyConfig,
  type Fields,
  freePort,
  httpGet,
  listener,
  startLoad,
  startWorld,
} from "./harness/mod.ts";

eachLink("a listener that is renamed on its port loses no request", async (link) => {
  const port = freePort();

  function config(round: number): Fields[] {
    return [envoyConfig("edge", [listener(`name-${round}`, { port, routes: { text: `answer ${round}` } })])];
  }

  await using world = await startWorld(link, { files: { "edge.yaml": config(0) } });
  await using load = startLoad({ target: { port } });
  for (let round = 1; round <= 10; round++) {
    world.chancery.write("edge.yaml", config(round));
    await world.wait(`name ${round} to answer`, async () => (await httpGet({ port })).body === `answer ${round}`);
    const answered = load.requests;
    await world.wait("load after the change", () => load.requests > answered + 50);
  }
  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(report.bodies.has("answer 10")).toBe(true);
  expect(await world.envoy.stat("listener_manager.lds.update_rejected")).toBe(0);
});
