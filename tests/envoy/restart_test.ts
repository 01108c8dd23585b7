import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import {
  eachLink,
  edsCluster,
  endpoints,
  envoyConfig,
  type Fields,
  freePort,
  httpGet,
  listener,
  startLoad,
  startUpstream,
  startWorld,
  tlsSecret,
  tlsSecretItem,
} from "./harness/mod.ts";

eachLink("chancery killed with kill -9 and started again loses no request and no change", async (link) => {
  await using blue = startUpstream("blue");
  await using green = startUpstream("green");
  const authority = await createAuthority();
  const secret = tlsSecret("edge-cert", await authority.issue({ commonName: "edge", dns: ["edge.test"] }));
  const target = { port: freePort(), tls: { serverName: "edge.test", caCerts: [authority.cert] } };

  function config(port: number): Fields[] {
    return [
      envoyConfig("edge", [
        edsCluster("api"),
        endpoints("api", [port]),
        listener("in", { port: target.port, routes: { cluster: "api" }, certificate: "edge-cert" }),
        tlsSecretItem("edge-cert"),
      ]),
      secret,
    ];
  }

  async function connected(): Promise<boolean> {
    return await world.envoy.stat("control_plane.connected_state") === 1;
  }

  await using world = await startWorld(link, { files: { "edge.yaml": config(blue.port) } });
  await using load = startLoad({ target });
  await world.wait("load", () => load.requests > 50);

  // Nothing changed meanwhile: nothing changes in Envoy either.
  await world.chancery.kill();
  await world.wait("Envoy to notice", async () => !await connected());
  await world.chancery.start();
  await world.wait("Envoy to reconnect", connected, 20_000);
  await world.wait("Envoy to be acknowledged again", async () => {
    return (await world.chancery.typesOf("edge"))?.get("LDS")?.accepted !== undefined;
  });
  expect(await world.envoy.stat("cluster_manager.cluster_modified")).toBe(0);
  expect(await world.envoy.stat("cluster_manager.cluster_removed")).toBe(0);
  expect(await world.envoy.stat("listener_manager.listener_modified")).toBe(0);

  // Changed while nobody looked.
  await world.chancery.kill();
  world.chancery.write("edge.yaml", config(green.port));
  await world.chancery.start();
  await world.wait("the change to arrive", async () => (await httpGet(target)).body === "green", 20_000);

  // Killed in the middle of changes.
  for (let round = 1; round <= 3; round++) {
    world.chancery.write("edge.yaml", config(round % 2 === 0 ? green.port : blue.port));
    await world.chancery.kill();
    await world.chancery.start();
    const want = round % 2 === 0 ? "green" : "blue";
    await world.wait(`${want} in round ${round}`, async () => (await httpGet(target)).body === want, 20_000);
  }
  expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
});

eachLink("a file that was broken while chancery was down keeps its last good content served", async (link) => {
  const port = freePort();
  const config = [envoyConfig("edge", [listener("in", { port, routes: { text: "good" } })])];
  await using world = await startWorld(link, { files: { "edge.yaml": config } });
  await world.chancery.kill();
  world.chancery.write("edge.yaml", "kind: EnvoyConfig\nspec: {resources: [");
  await world.chancery.start();

  expect((await world.chancery.status()).findings).toContainEqual(
    expect.objectContaining({ severity: "error", file: expect.stringContaining("edge.yaml") }),
  );
  await world.wait(
    "Envoy to reconnect",
    async () => await world.envoy.stat("control_plane.connected_state") === 1,
    20_000,
  );
  expect((await httpGet({ port })).body).toBe("good");
  expect(await world.envoy.stat("listener_manager.listener_removed")).toBe(0);

  world.chancery.write("edge.yaml", [envoyConfig("edge", [listener("in", { port, routes: { text: "better" } })])]);
  await world.wait("the repaired file", async () => (await httpGet({ port })).body === "better");
});
