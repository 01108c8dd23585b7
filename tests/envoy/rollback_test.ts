import { expect } from "expect";
import type { HistoryDocument } from "../../src/app/documents/mod.ts";
import { createAuthority } from "../certificates.ts";
import {
  eachLink,
  envoyConfig,
  eventually,
  type Fields,
  freePort,
  httpGet,
  LINKS,
  listener,
  type RunningEnvoy,
  type RunningStandalone,
  startEnvoy,
  startLoad,
  startStandalone,
  startWorld,
  staticCluster,
  tlsSecret,
  tlsSecretItem,
} from "./harness/mod.ts";

const PLAIN = LINKS.filter(({ tls }) => !tls);

/** The same listener with an option that cannot be changed while it is in use: Envoy refuses that. */
function unchangeable({ type, value }: Fields): Fields {
  return { type, value: { ...value as Fields, enable_reuse_port: false } };
}

/** The version that is served, and what is said of it. */
function summary({ config, revisions }: HistoryDocument) {
  const { cacheState, publishedVersion, desiredVersion, acknowledgedVersion } = config.status;
  const wanted = revisions.find(({ version }) => version === desiredVersion);
  return { cacheState, publishedVersion, desiredVersion, acknowledgedVersion, refusal: wanted?.refusal?.message };
}

async function state(chancery: RunningStandalone): Promise<ReturnType<typeof summary>> {
  return summary(await chancery.history("edge"));
}

/** Until all Envoys have accepted what is served, for good. */
async function acknowledged(chancery: RunningStandalone): Promise<string> {
  return await chancery.wait("the acknowledgement", async () => {
    const { publishedVersion, acknowledgedVersion } = await state(chancery);
    return publishedVersion !== "" && publishedVersion === acknowledgedVersion && publishedVersion;
  });
}

eachLink("W10, W13, W14: a refused listener is rolled back within a second, and no request is lost", async (link) => {
  const port = freePort();
  const good = listener("in", { port, routes: { text: "one" } });
  await using world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", [good])] } });
  const { chancery, envoy } = world;
  const first = await acknowledged(chancery);
  await using load = startLoad({ target: { port } });
  await world.wait("load", () => load.requests > 50);

  chancery.write("edge.yaml", [envoyConfig("edge", [unchangeable(good)])]);
  await world.wait("the refusal", async () => await envoy.stat("listener_manager.lds.update_rejected") === 1);
  const refusedAt = performance.now();
  const rolledBack = await world.wait("the rollback", async () => {
    const now = await state(chancery);
    return now.cacheState === "Rollback" && now;
  });
  expect(performance.now() - refusedAt).toBeLessThan(1000);
  expect(rolledBack.publishedVersion).toBe(first);
  expect(rolledBack.refusal).toContain("1 of 1 Envoys refused it");
  expect(rolledBack.refusal).toContain("reuse port cannot be changed during an update");
  await world.wait("Envoy to accept it", async () => {
    return (await chancery.history("edge")).config.clients?.accepted === 1;
  });

  chancery.write("edge.yaml", [envoyConfig("edge", [listener("in", { port, routes: { text: "two" } })])]);
  await world.wait("the repaired version", async () => (await httpGet({ port })).body === "two");
  expect((await state(chancery)).cacheState).toBe("InSync");
  expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
  expect(await envoy.stat("listener_manager.lds.update_rejected")).toBe(1);
});

eachLink(
  "a response that was half applied and then refused is taken back, in the stream and after kill -9",
  async (link) => {
    const [a, b] = [freePort(), freePort()];

    function config(text: string, bad: boolean): Fields[] {
      const second = listener("b", { port: b, routes: { text: "b" } });
      return [envoyConfig("edge", [listener("a", { port: a, routes: { text } }), bad ? unchangeable(second) : second])];
    }

    await using world = await startWorld(link, { files: { "edge.yaml": config("one", false) } });
    const { chancery, envoy } = world;
    const first = await acknowledged(chancery);
    chancery.write("edge.yaml", config("half", true));
    await world.wait("the rollback", async () => (await state(chancery)).cacheState === "Rollback");
    await world.wait("what was applied to be taken back", async () => (await httpGet({ port: a })).body === "one");

    // Killed at the refusal, or a moment later: Envoy comes back with versions that it does not have.
    for (let round = 1; round <= 3; round++) {
      const refusals = await envoy.stat("listener_manager.lds.update_rejected");
      chancery.write("edge.yaml", config(`half ${round}`, true));
      await world.wait("the refusal", async () => {
        return await envoy.stat("listener_manager.lds.update_rejected") > refusals;
      });
      await chancery.kill();
      await chancery.start();
      await world.wait("the rollback after the restart", async () => {
        const { cacheState, publishedVersion } = await state(chancery);
        return cacheState === "Rollback" && publishedVersion === first;
      }, 30_000);
      await world.wait(
        "what was applied to be taken back",
        async () => (await httpGet({ port: a })).body === "one",
        30_000,
      );
    }
    expect((await httpGet({ port: b })).body).toBe("b");
  },
  PLAIN,
);

eachLink(
  "W17: a refused version is tried again on request, and a version is pinned until the spec changes",
  async (link) => {
    const port = freePort();
    const [one, two] = ["one", "two"].map((text) => listener("in", { port, routes: { text } }));
    await using world = await startWorld(link, { files: { "edge.yaml": [envoyConfig("edge", [one!])] } });
    const { chancery, envoy } = world;
    const first = await acknowledged(chancery);
    chancery.write("edge.yaml", [envoyConfig("edge", [two!])]);
    await world.wait("the second version", async () => (await httpGet({ port })).body === "two");

    await chancery.rollback("edge", { pin: first });
    await world.wait("the pinned version", async () => (await httpGet({ port })).body === "one");
    expect(await state(chancery)).toMatchObject({ cacheState: "Rollback", publishedVersion: first });
    await chancery.rollback("edge", { retry: true });
    await world.wait("the end of the pin", async () => (await httpGet({ port })).body === "two");
    await chancery.rollback("edge", { pin: first });
    await world.wait("the pinned version again", async () => (await httpGet({ port })).body === "one");

    chancery.write("edge.yaml", [envoyConfig("edge", [unchangeable(two!)])]);
    await world.wait("the refusal of the next spec, and no pin any more", async () => {
      const { cacheState, refusal } = await state(chancery);
      return cacheState === "Rollback" && refusal;
    });
    const refusals = await envoy.stat("listener_manager.lds.update_rejected");
    await chancery.rollback("edge", { retry: true });
    await world.wait(
      "another refusal",
      async () => await envoy.stat("listener_manager.lds.update_rejected") > refusals,
    );
    await world.wait("another rollback", async () => (await state(chancery)).cacheState === "Rollback");
  },
  PLAIN.slice(0, 1),
);

eachLink("W15: a rotated certificate that Envoy refuses taints no version", async (link) => {
  const authority = await createAuthority();
  const port = freePort();
  const target = { port, tls: { serverName: "edge.test", caCerts: [authority.cert] } };
  const request = { commonName: "edge", dns: ["edge.test"] };
  const config = envoyConfig("edge", [
    listener("in", { port, routes: { text: "hello" }, certificate: "edge-cert" }),
    tlsSecretItem("edge-cert"),
  ]);
  await using world = await startWorld(link, {
    files: { "edge.yaml": [config], "secret.yaml": [tlsSecret("edge-cert", await authority.issue(request))] },
  });
  const { chancery } = world;
  const first = await acknowledged(chancery);
  const weak = await authority.issue({ ...request, rsaBits: 1024 });
  chancery.write("secret.yaml", [tlsSecret("edge-cert", weak)]);
  await world.wait("the refusal", async () => (await chancery.history("edge")).config.clients?.refusedData === 1);
  expect(await state(chancery)).toMatchObject({ cacheState: "InSync", publishedVersion: first, refusal: undefined });
  expect((await httpGet(target)).body).toBe("hello");

  chancery.write("secret.yaml", [tlsSecret("edge-cert", await authority.issue(request))]);
  await world.wait("the repaired Secret", async () => (await chancery.history("edge")).config.clients?.accepted === 1);
  expect((await httpGet(target)).body).toBe("hello");
}, PLAIN);

/** Several Envoys of one node id; the last one with a listener of its own that is in the way of others on its port. */
async function fleet(
  count: number,
  options: { files: Record<string, Fields[]>; odd?: Fields; mode: "delta" | "sotw" },
) {
  const chancery = await startStandalone({ files: options.files });
  const envoys: RunningEnvoy[] = [];
  try {
    const bootstrap = await chancery.bootstrap("edge", options.mode);
    const clash = {
      ...bootstrap,
      static_resources: { ...bootstrap["static_resources"] as Fields, listeners: [options.odd] },
    };
    for (let i = 1; i <= count; i++) {
      envoys.push(await startEnvoy({ bootstrap: options.odd && i === count ? clash : bootstrap }));
    }
    for (const envoy of envoys) {
      await eventually(() => envoy.ready(), { what: "Envoy to be ready", deadlineMs: 30_000 });
    }
  } catch (error) {
    for (const envoy of envoys) await envoy[Symbol.asyncDispose]();
    await chancery[Symbol.asyncDispose]();
    throw error;
  }
  return {
    chancery,
    envoys,
    async [Symbol.asyncDispose]() {
      for (const envoy of envoys) await envoy[Symbol.asyncDispose]();
      await chancery[Symbol.asyncDispose]();
    },
  };
}

eachLink(
  "W16: what one odd Envoy of several refuses is told and not rolled back; what all refuse is",
  async ({ mode }) => {
    const [port, clash] = [freePort(), freePort()];
    const good = listener("in", { port, routes: { text: "one" } });
    const static_ = listener("own", { port: clash, routes: { text: "own" } })["value"] as Fields;
    await using all = await fleet(3, { files: { "edge.yaml": [envoyConfig("edge", [good])] }, odd: static_, mode });
    const { chancery } = all;
    const first = await acknowledged(chancery);

    const other = listener("other", { port: clash, routes: { text: "other" } });
    chancery.write("edge.yaml", [envoyConfig("edge", [good, other])]);
    const { config } = await chancery.wait("one refusal and two acceptances", async () => {
      const history = await chancery.history("edge");
      const { rejected, accepted } = history.config.clients ?? {};
      return rejected === 1 && accepted === 2 && history;
    });
    expect(config.status.cacheState).toBe("InSync");
    await chancery.wait("the condition", async () => {
      const { conditions = [] } = (await chancery.history("edge")).config.status;
      const told = conditions.find(({ type, status }) => type === "ClientsRejecting" && status === "True");
      return told?.message.includes("1 of 3 Envoys refused it");
    });

    chancery.write("edge.yaml", [envoyConfig("edge", [unchangeable(good)])]);
    const { publishedVersion, refusal } = await chancery.wait("the rollback of what all refuse", async () => {
      const now = await state(chancery);
      return now.cacheState === "Rollback" && now;
    });
    expect(publishedVersion).not.toBe(first); // the version before was refused by one only
    expect(refusal).toContain("3 of 3 Envoys refused it");
    expect((await httpGet({ port })).body).toBe("one");
  },
  PLAIN,
);

eachLink(
  "W16: a refusal long before the acceptances of Envoys whose clusters are warming is no verdict",
  async ({ mode }) => {
    // Whoever is asked here for its health says nothing, so that the cluster warms until the question times out.
    using mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const health_checks = [{
      timeout: "8s",
      interval: "60s",
      unhealthy_threshold: 1,
      healthy_threshold: 1,
      http_health_check: { path: "/" },
    }];
    const [port, clash] = [freePort(), freePort()];
    const good = listener("in", { port, routes: { text: "one" } });
    const odd = listener("own", { port: clash, routes: { text: "own" } })["value"] as Fields;
    await using all = await fleet(2, { files: { "edge.yaml": [envoyConfig("edge", [good])] }, odd, mode });
    const { chancery } = all;
    await acknowledged(chancery);

    const slow = staticCluster("slow", [mute.addr.port], { health_checks });
    const other = listener("other", { port: clash, routes: { text: "other" } });
    chancery.write("edge.yaml", [envoyConfig("edge", [good, slow, other])]);
    const warming = await chancery.wait("the refusal", async () => {
      const { clients } = (await chancery.history("edge")).config;
      return clients?.rejected === 1 && clients;
    });
    expect(warming).toMatchObject({ connected: 2, accepted: 0, pending: 1 });
    await chancery.wait("the late acceptance", async () => {
      return (await chancery.history("edge")).config.clients?.accepted === 1;
    });
    const { publishedVersion, desiredVersion, cacheState } = await state(chancery);
    expect([publishedVersion, cacheState]).toEqual([desiredVersion, "InSync"]);
  },
  PLAIN,
);

eachLink("W29: when everything was refused, what was accepted last is served, also after kill -9", async ({ mode }) => {
  const [port, clash] = [freePort(), freePort()];
  const both = [
    listener("in", { port, routes: { text: "one" } }),
    listener("other", { port: clash, routes: { text: "o" } }),
  ];
  await using all = await fleet(1, { files: { "edge.yaml": [envoyConfig("edge", both)] }, mode });
  const { chancery, envoys } = all;
  const first = await acknowledged(chancery);
  await envoys.pop()![Symbol.asyncDispose]();

  // An Envoy that cannot take the second listener, whatever the version.
  const bootstrap = await chancery.bootstrap("edge", mode);
  const own = listener("own", { port: clash, routes: { text: "own" } })["value"];
  envoys.push(
    await startEnvoy({
      bootstrap: { ...bootstrap, static_resources: { ...bootstrap["static_resources"] as Fields, listeners: [own] } },
    }),
  );
  await chancery.wait("the refusal", async () => (await chancery.history("edge")).config.clients?.rejected === 1);
  const failed = await chancery.wait("the failed rollback", async () => {
    const now = await state(chancery);
    return now.cacheState === "RollbackFailed" && now;
  });
  expect(failed).toMatchObject({ publishedVersion: "", acknowledgedVersion: first });
  await chancery.wait("what can be served", async () => (await httpGet({ port })).body === "one");

  await chancery.kill();
  await chancery.start();
  expect(await state(chancery)).toMatchObject({ cacheState: "RollbackFailed", acknowledgedVersion: first });
  await using late = await startEnvoy({ bootstrap });
  await eventually(() => late.ready(), { what: "another Envoy to be ready", deadlineMs: 30_000 });
  await eventually(async () => await late.stat("listener_manager.total_listeners_active") === 2, {
    what: "another Envoy to have both listeners",
  });

  const repaired = [listener("in", { port, routes: { text: "two" } }), staticCluster("unused", [port])];
  chancery.write("edge.yaml", [envoyConfig("edge", repaired)]);
  await chancery.wait("the repaired version", async () => (await state(chancery)).cacheState === "InSync");
  await chancery.wait("its answer", async () => (await httpGet({ port })).body === "two");
}, PLAIN);
