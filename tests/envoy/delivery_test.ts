import { expect } from "expect";
import { createAuthority } from "../certificates.ts";
import {
  eachLink,
  envoyConfig,
  freePort,
  httpGet,
  listener,
  startLoad,
  startUpstream,
  startWorld,
  staticCluster,
  tlsSecret,
  tlsSecretItem,
} from "./harness/mod.ts";

eachLink("W2: an unused secret does not stop delivery", async (link) => {
  const port = freePort();
  const certificate = await (await createAuthority()).issue({ commonName: "nobody" });
  function config(text: string) {
    return [
      envoyConfig("edge", [listener("in", { port, routes: { text } }), tlsSecretItem("nobody-asks")]),
      tlsSecret("nobody-asks", certificate),
    ];
  }
  await using world = await startWorld(link, { files: { "edge.yaml": config("one") } });
  for (const text of ["one", "two", "three"]) {
    world.chancery.write("edge.yaml", config(text));
    await world.wait(`"${text}" to be served`, async () => (await httpGet({ port })).body === text);
  }
  expect(await world.envoy.configDump()).not.toContain("nobody-asks");
});

eachLink("a secret that does not exist keeps nothing else from being served, and is reported", async (link) => {
  const [plain, secure] = [freePort(), freePort()];
  const resources = [
    listener("plain", { port: plain, routes: { text: "hello" } }),
    listener("secure", { port: secure, routes: { text: "hello" }, certificate: "lost" }),
    tlsSecretItem("lost"),
  ];
  // A state-of-the-world client cannot be told that a secret is missing: it waits for its initial fetch time-out of 15 s.
  await using world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", resources)] } });
  expect((await httpGet({ port: plain })).body).toBe("hello");
  expect((await world.chancery.status()).findings).toContainEqual(
    expect.objectContaining({ message: expect.stringContaining('"lost"') }),
  );
});

eachLink("W5: a node whose configuration is deleted keeps it, and follows it when it comes back", async (link) => {
  const port = freePort();
  function config(text: string) {
    return [envoyConfig("edge", [listener("in", { port, routes: { text } })])];
  }
  await using world = await startWorld(link, {
    files: { "edge.yaml": config("before"), "other.yaml": [envoyConfig("other", [])] },
  });
  await using load = startLoad({ target: { port } });
  world.chancery.remove("edge.yaml");
  await world.wait("the deletion in /status", async () => (await world.chancery.status()).config?.objects === 1);
  const before = load.requests;
  await world.wait("load after the deletion", () => load.requests > before + 100);
  world.chancery.write("edge.yaml", config("after"));
  await world.wait("the configuration to be back", () => load.bodies.has("after"));
  const report = await load.stop();
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect([...report.bodies.keys()]).toEqual(["before", "after"]);
});

eachLink("W5: with --on-delete empty a deleted configuration empties the node until it comes back", async (link) => {
  const port = freePort();
  const config = [envoyConfig("edge", [listener("in", { port, routes: { text: "hello" } })])];
  await using world = await startWorld(link, {
    files: { "edge.yaml": config, "other.yaml": [envoyConfig("other", [])] },
    args: ["--on-delete", "empty"],
  });
  expect((await httpGet({ port })).body).toBe("hello");
  world.chancery.remove("edge.yaml");
  await world.wait("the listener to go", async () => await httpGet({ port }).then(() => false, () => true));
  world.chancery.write("edge.yaml", config);
  await world.wait("the listener to be back", async () => (await httpGet({ port })).body === "hello");
});

eachLink("a listener refused for a missing cluster heals by adding only the cluster", async (link) => {
  await using blue = startUpstream("blue");
  const [good, refused] = [freePort(), freePort()];
  const listeners = [
    listener("good", { port: good, routes: { text: "hello" } }),
    listener("refused", { port: refused, routes: { cluster: "blue" } }),
  ];
  // Envoy does not start before LDS was accepted once or timed out, so the refused listener comes second.
  await using world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", listeners.slice(0, 1))] } });
  world.chancery.write("edge.yaml", [envoyConfig("edge", listeners)]);
  await world.wait("the refusal to be told and rolled back", () => {
    const log = world.chancery.process.lines.join("\n");
    return log.includes("unknown cluster 'blue'") && /"Published".*-r1"/.test(log);
  });
  expect((await httpGet({ port: good })).body).toBe("hello");
  expect(await world.envoy.stat("listener_manager.lds.update_rejected")).toBe(1);

  world.chancery.write("edge.yaml", [envoyConfig("edge", [...listeners, staticCluster("blue", [blue.port])])]);
  await world.wait("the healed listener", async () => (await httpGet({ port: refused })).body === "blue");
  expect(await world.envoy.stat("listener_manager.lds.update_rejected")).toBe(1);
});
