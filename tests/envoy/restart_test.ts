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
  LINKS,
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
  await world.wait("Envoy to reconnect", connected);
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
  await world.wait("the change to arrive", async () => (await httpGet(target)).body === "green");

  // Killed in the middle of changes.
  for (let round = 1; round <= 3; round++) {
    world.chancery.write("edge.yaml", config(round % 2 === 0 ? green.port : blue.port));
    await world.chancery.kill();
    await world.chancery.start();
    const want = round % 2 === 0 ? "green" : "blue";
    await world.wait(`${want} in round ${round}`, async () => (await httpGet(target)).body === want);
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
  );
  expect((await httpGet({ port })).body).toBe("good");
  expect(await world.envoy.stat("listener_manager.listener_removed")).toBe(0);

  world.chancery.write("edge.yaml", [envoyConfig("edge", [listener("in", { port, routes: { text: "better" } })])]);
  await world.wait("the repaired file", async () => (await httpGet({ port })).body === "better");
});

eachLink(
  "I10: an Envoy keeps a certificate that is gone when everybody who remembers it is gone, too",
  async (link) => {
    const [old, next] = [await createAuthority(), await createAuthority()];
    const request = { commonName: "edge", dns: ["edge.test"] };
    const port = freePort();
    const trusting = (authority: typeof old) => ({ port, tls: { serverName: "edge.test", caCerts: [authority.cert] } });
    const item = listener("in", { port, routes: { text: "hello" }, certificate: "edge-cert" });
    await using world = await startWorld(link, {
      files: {
        "edge.yaml": [envoyConfig("edge", [item, tlsSecretItem("edge-cert")])],
        "secret.yaml": [tlsSecret("edge-cert", await old.issue(request))],
      },
    });
    const { chancery } = world;
    await using load = startLoad({ target: trusting(old) });
    await world.wait("load", () => load.requests > 50);

    await chancery.kill();
    chancery.remove("secret.yaml");
    await Deno.remove(chancery.directory.replace(/config$/, "data"), { recursive: true });
    await chancery.start();
    expect(JSON.stringify((await chancery.status()).findings)).toContain('Secret \\"edge-cert\\"');
    await world.wait("Envoy to have accepted what is left", async () => {
      const types = await chancery.typesOf("edge");
      return types?.get("LDS")?.accepted !== undefined && types.has("SDS");
    });
    const soon = load.requests + 50;
    await world.wait("more load", () => load.requests > soon);
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });

    chancery.write("secret.yaml", [tlsSecret("edge-cert", await next.issue(request))]);
    await world.wait("the next certificate", async () => {
      return (await httpGet(trusting(next)).catch(() => undefined))?.body === "hello";
    });
  },
  LINKS.filter(({ mode, tls }) => mode === "delta" && !tls),
);
