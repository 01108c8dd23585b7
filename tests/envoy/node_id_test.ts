import { expect } from "expect";
import {
  eachLink,
  envoyConfig,
  eventually,
  type Fields,
  freePort,
  httpGet,
  LINKS,
  listener,
  startEnvoy,
  startWorld,
} from "./harness/mod.ts";

const PLAIN = LINKS.filter(({ tls }) => !tls);

/** Keeps the directory from being empty, which would rather be a mistake than a wish. */
const OTHER = { "other.yaml": [envoyConfig("other", [])] };

eachLink(
  "W25: a changed node id goes to the Envoys of the new one, and those of the old one keep what they have",
  async (link) => {
    const [before, after] = [freePort(), freePort()];

    function config(nodeID: string, port: number): Fields[] {
      return [envoyConfig(nodeID, [listener("in", { port, routes: { text: nodeID } })], "edge")];
    }

    await using world = await startWorld(link, { files: { "edge.yaml": config("edge", before) } });
    const { chancery } = world;
    await using late = await startEnvoy({ bootstrap: await chancery.bootstrap("elsewhere", link.mode) });
    chancery.write("edge.yaml", config("elsewhere", after));
    await eventually(async () => (await httpGet({ port: after })).body === "elsewhere", { what: "the other Envoy" });
    expect((await httpGet({ port: before })).body).toBe("edge");
    const { config: { nodeId, status }, revisions } = await chancery.history("edge");
    expect([nodeId, status.cacheState, revisions.map(({ published }) => published)]).toEqual(["elsewhere", "InSync", [
      true,
    ]]);
    expect(await late.stat("listener_manager.lds.update_rejected")).toBe(0);
  },
  PLAIN,
);

eachLink("W3: of two EnvoyConfigs with one node id the older is served until it goes", async (link) => {
  const port = freePort();

  function config(name: string): Fields[] {
    return [envoyConfig("edge", [listener("in", { port, routes: { text: name } })], name)];
  }

  await using world = await startWorld(link, { files: { ...OTHER, "first.yaml": config("first") } });
  const { chancery, envoy } = world;
  const made = Date.parse((await chancery.history("first")).config.createdAt);
  await world.wait("the next second, for age is told in seconds", () => Date.now() >= made + 1000);
  chancery.write("second.yaml", config("second"));
  await world.wait("the conflict to be told", async () => {
    const { conditions = [] } = (await chancery.history("second")).config.status;
    return conditions.some(({ type, status }) => type === "Conflict" && status === "True");
  });
  expect((await httpGet({ port })).body).toBe("first");
  expect((await chancery.history("second")).revisions).toEqual([]);

  chancery.remove("first.yaml");
  await world.wait("the second one to take over", async () => (await httpGet({ port })).body === "second");
  expect((await chancery.history("second")).config.status.cacheState).toBe("InSync");
  expect(await envoy.stat("listener_manager.lds.update_rejected")).toBe(0);
}, PLAIN);

eachLink(
  "a config that is deleted after a refusal and applied again starts anew, and nothing is lost meanwhile",
  async (link) => {
    const port = freePort();

    function config(text: string, more: Fields = {}): Fields[] {
      const { type, value } = listener("in", { port, routes: { text } });
      return [envoyConfig("edge", [{ type, value: { ...value as Fields, ...more } }])];
    }

    await using world = await startWorld(link, { files: { ...OTHER, "edge.yaml": config("one") } });
    const { chancery, envoy } = world;
    chancery.write("edge.yaml", config("bad", { enable_reuse_port: false }));
    await world.wait(
      "the rollback",
      async () => (await chancery.history("edge")).config.status.cacheState === "Rollback",
    );
    chancery.remove("edge.yaml");
    await world.wait(
      "the end of the config",
      async () => (await chancery.get("/history?namespace=default&name=edge")).status === 404,
    );
    expect((await httpGet({ port })).body).toBe("one");

    // The same bad content: nobody remembers, so it is refused once more, and nothing is left to go back to.
    chancery.write("edge.yaml", config("bad", { enable_reuse_port: false }));
    await world.wait("the failed rollback", async () => {
      return (await chancery.history("edge")).config.status.cacheState === "RollbackFailed";
    });
    expect((await httpGet({ port })).body).toBe("one");
    chancery.write("edge.yaml", config("two"));
    await world.wait("the repaired config", async () => (await httpGet({ port })).body === "two");
    expect((await chancery.history("edge")).config.status.cacheState).toBe("InSync");
    expect(await envoy.stat("listener_manager.lds.update_rejected")).toBe(2);
  },
  PLAIN,
);
