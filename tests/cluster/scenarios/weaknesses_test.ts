/** What only real processes on a real API server can show of a weakness that is gone. */
import { expect } from "expect";
import { envoyConfig, eventually, freePort, httpGet, startUpstream } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { publishedCounts, writesIn } from "./journal.ts";
import { manifest, openStage } from "./stage.ts";

/** The EnvoyConfig "kuard" with a text to tell it by. */
async function route(text: string, ports: Readonly<Record<number, number>>): Promise<string> {
  return (await manifest("route", ports)).replaceAll("TEXT", text);
}

clusterTest(
  "W18: in sync tells how many Envoys of all replicas have it, and one that is silent keeps it unacknowledged",
  async () => {
    await using stage = await openStage({ replicas: 2, webhook: false });
    await using kuard = startUpstream("kuard");
    const ports = { 8080: freePort(), 9001: kuard.port };
    const [one, two] = await Promise.all(
      stage.replicas.map((replica) => stage.site.envoy("kuard", [replica])),
    );
    await stage.apply(await route("one", ports));
    const first = await stage.acknowledged("kuard");
    await stage.until("kuard", "accepted by both", ({ clients }) => clients?.accepted === 2 && clients.connected === 2);
    two!.process.signal("SIGSTOP");
    await stage.apply(await route("two", ports));
    // What the other replica counts comes a moment later.
    const status = await stage.until(
      "kuard",
      "accepted by one of two",
      ({ clients }) => clients?.accepted === 1 && clients.connected === 2,
    );
    expect(status).toMatchObject({ cacheState: "InSync", clients: { rejected: 0, pending: 1 } });
    expect(status.acknowledgedVersion).toBe(first);
    two!.process.signal("SIGCONT");
    expect(await stage.acknowledged("kuard")).not.toBe(first);
    await one!.stop();
    await stage.until("kuard", "left by one", ({ clients }) => clients?.connected === 1 && clients.accepted === 1);
  },
);

clusterTest(
  "W25: a changed node id leaves no revision of the old one, and Envoys of the new one are served",
  async () => {
    await using stage = await openStage();
    await using kuard = startUpstream("kuard");
    const ports = { 8080: freePort(), 9001: kuard.port };
    const [old, next] = await Promise.all([stage.envoy("kuard"), stage.envoy("renamed")]);
    const yaml = await route("one", ports);
    await stage.apply(yaml);
    await stage.acknowledged("kuard");
    await stage.apply(yaml.replace("nodeID: kuard", "nodeID: renamed"));
    const listening = "listener_manager.total_listeners_active";
    await eventually(async () => await next.stat(listening) === 1, {
      what: "the new one",
      explain: () => stage.tail(),
    });
    await eventually(async () => (await stage.revisions("kuard")).length === 0, { what: "the old revisions to go" });
    await stage.acknowledged("kuard");
    expect((await stage.revisions("renamed")).map(({ status }) => status?.published)).toEqual([true]);
    expect(await old.stat(listening)).toBe(1); // it keeps what it has
  },
);

clusterTest("W26: a leader killed while it publishes leaves no moment without a published revision", async () => {
  await using stage = await openStage({ replicas: 2, webhook: false });
  await using kuard = startUpstream("kuard");
  const ports = { 8080: freePort(), 9001: kuard.port };
  await stage.envoy("kuard");
  await stage.apply(await route("zero", ports));
  await stage.accepted("kuard");
  for (const round of [1, 2]) {
    const known = (await stage.revisions("kuard")).length;
    await stage.apply(await route(`round-${round}`, ports));
    await eventually(async () => (await stage.revisions("kuard")).length > known, { what: "the revision to be made" });
    const leads = await Promise.all(stage.replicas.map((replica) => replica.leads().catch(() => false)));
    const leader = stage.replicas[leads.indexOf(true)]!;
    await leader.process.kill();
    await leader.start();
    await stage.answers(ports[8080], `round-${round}`, { path: "/text" });
    await stage.accepted("kuard");
  }
  const writes = await writesIn(stage.site.cluster, stage.namespace);
  expect(Math.min(...publishedCounts(writes))).toBeGreaterThan(0);
  const { status } = await stage.config("kuard");
  const marked = (await stage.revisions("kuard")).filter(({ status }) => status?.published);
  expect(marked.map(({ spec }) => spec["version"])).toEqual([status?.publishedVersion]);
});

clusterTest(
  "W32: Events tell of publication, rollback and recovery, once each; metrics tell states and the reason of a refusal",
  async () => {
    await using stage = await openStage({ webhook: false });
    const [replica] = stage.replicas;
    await using kuard = startUpstream("kuard");
    const ports = { 8080: freePort(), 9001: kuard.port };
    await stage.envoy("kuard");
    await stage.apply(await route("one", ports));
    await stage.acknowledged("kuard");
    expect(await replica!.metrics()).toContain('\nchancery_configs{state="InSync"} 1\n');
    await stage.apply((await route("two", ports)).replace("route: { cluster: kuard }", "route: { cluster: typo }"));
    await stage.until("kuard", "rolled back", ({ cacheState }) => cacheState === "Rollback");
    const metrics = await replica!.metrics();
    expect(metrics).toContain('\nchancery_configs{state="Rollback"} 1\n');
    expect(metrics).toContain(
      '\nchancery_xds_answers_total{resource_type="LDS",result="refused",reason="unknown-cluster"} 1\n',
    );
    await stage.apply(await route("three", ports));
    await stage.acknowledged("kuard");
    expect(await replica!.metrics()).toContain('\nchancery_configs{state="Rollback"} 0\n');
    const shown = await eventually(async () => {
      const { stdout } = await stage.kubectl(
        ...[
          "get",
          "events",
          "--field-selector=involvedObject.kind=EnvoyConfig,involvedObject.name=kuard",
          "-o",
          "json",
        ],
      );
      const { items } = JSON.parse(stdout) as { items: { reason: string; type: string; message: string }[] };
      return items.some(({ reason }) => reason === "Recovered") && items;
    }, { what: "the last Event", explain: () => stage.tail() });
    expect(new Map(shown.map(({ reason, type }) => [reason, type]))).toEqual(
      new Map([["Published", "Normal"], ["RolledBack", "Warning"], ["Recovered", "Normal"]]),
    );
    expect(shown).toHaveLength(3); // one for each reason within a minute
    expect(shown.find(({ reason }) => reason === "RolledBack")?.message).toContain("unknown cluster 'typo'");
  },
);

clusterTest(
  "W34: of 20 configurations only the one that uses a Secret is looked at when it changes; one that nobody uses costs nothing",
  async () => {
    await using stage = await openStage({ webhook: false });
    const [replica] = stage.replicas;
    const secret = (index: number, text: string) => ({
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: `token-${index}` },
      type: "Opaque",
      stringData: { token: text },
    });
    const nodes = Array.from({ length: 20 }, (_, index) => index);
    await stage.site.apply(
      ...nodes.map((index) => secret(index, `token number ${index}`)),
      ...nodes.map((index) =>
        envoyConfig(`node-${index}`, [
          { type: "secret", generateFromOpaqueSecret: { name: `token-${index}`, key: "token", alias: "token" } },
        ])
      ),
    );
    const sum = async (metric: string, label = "") => {
      const lines = (await replica!.metrics()).split("\n").filter((line) =>
        line.startsWith(metric) && line.includes(label)
      );
      return lines.reduce((total, line) => total + Number(line.split(" ").at(-1)), 0);
    };
    await replica!.wait("all to be in sync", async () => await sum("chancery_configs", "InSync") === 20, 40_000);
    const quiet = () => replica!.wait("rest", async () => await sum("chancery_work_queue_depth") === 0);
    /** How many looks at a configuration a change of a Secret costs. */
    const looks = async (index: number) => {
      await quiet();
      const [before, events] = [
        await sum("chancery_node_looks_total"),
        await sum("chancery_watch_events_total", "Secret"),
      ];
      await stage.site.apply(secret(index, `another token ${index}`));
      await replica!.wait(
        "the change to be told",
        async () => await sum("chancery_watch_events_total", "Secret") > events,
      );
      await quiet();
      return await sum("chancery_node_looks_total") - before;
    };
    expect(await looks(99)).toBe(0);
    const used = await looks(7);
    expect(used).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(2); // its content is read first, and told then
  },
);

clusterTest("a bad value that no webhook saw is a rollback with CacheOutOfSync, and a good one ends it", async () => {
  await using stage = await openStage({ webhook: false });
  await using kuard = startUpstream("kuard");
  const ports = { 8080: freePort(), 9001: kuard.port };
  await stage.envoy("kuard");
  await stage.apply(await route("one", ports));
  const version = await stage.acknowledged("kuard");
  const outOfSync = (wanted: string) =>
    stage.until(
      "kuard",
      `CacheOutOfSync=${wanted}`,
      ({ conditions }) =>
        conditions?.some(({ type, status }) => type === "CacheOutOfSync" && status === wanted) ?? false,
    );
  await stage.apply((await route("two", ports)).replace("connect_timeout: 1s", "connect_timeout: 1 second"));
  expect(await outOfSync("True")).toMatchObject({ cacheState: "Rollback", publishedVersion: version });
  expect((await httpGet({ port: ports[8080] }, "/text")).body).toBe("one");
  await stage.apply(await route("three", ports));
  expect(await outOfSync("False")).toMatchObject({ cacheState: "InSync" });
  await stage.answers(ports[8080], "three", { path: "/text" });
});
