/** In which order things happen, as the API server saw it: T1 to T6. */
import { expect } from "expect";
import { freePort, startLoad, startUpstream, type Upstream } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { publishedCounts, storyOf, writesIn } from "./journal.ts";
import { manifest, openStage, type Stage } from "./stage.ts";

/** Counters of what Envoy took as new or changed. */
const LOADED = "listener_manager.listener_(modified|added)|cluster_manager.cluster_(modified|added)";

/** What is written until Envoys have taken a version, from the moment it is applied; `before` is what is served then. */
function served(version: string, before?: string): string[] {
  return [
    "config applied",
    `${version} made`,
    `${version} published`,
    ...(before === undefined ? [] : [`${before} unpublished`]),
    `config InSync ${version}`,
    `${version} accepted by Envoys`,
    `${version} acknowledged`,
  ];
}

/** The EnvoyConfig "kuard" with a text to tell it by; the bad one names a cluster that nobody has. */
async function route(text: string, at: { port: number; upstream: Upstream }, { bad = false } = {}): Promise<string> {
  const yaml = await manifest("route", { 8080: at.port, 9001: at.upstream.port });
  const good = yaml.replace(/inline_string: TEXT/, `inline_string: ${text}`);
  return bad ? good.replace("route: { cluster: kuard }", "route: { cluster: typo }") : good;
}

async function writes(stage: Stage) {
  return await writesIn(stage.site.cluster, stage.namespace);
}

async function story(stage: Stage): Promise<string[]> {
  return storyOf(await writes(stage));
}

clusterTest(
  "T1 first apply: review, EnvoyConfig, revision, publication, Envoys, acknowledgement; W36: the spec stays as it was",
  async () => {
    await using stage = await openStage({ replicas: 2 });
    await using upstream = startUpstream("kuard");
    const at = { port: freePort(), upstream };
    await stage.envoy("kuard", "sotw");
    const reviews = await stage.webhook!.webhook.reviews('result="allowed"');
    const yaml = await route("one", at);
    await stage.apply(yaml);
    expect(await stage.webhook!.webhook.reviews('result="allowed"')).toBe(reviews + 1);
    await stage.answers(at.port, "one", { path: "/text" });
    const version = await stage.acknowledged("kuard");
    expect(await story(stage)).toEqual(served("A"));

    const [revision] = await stage.revisions("kuard");
    expect(revision?.metadata.name).toBe(`kuard-v3-${version}`);
    expect(revision?.metadata.finalizers).toBeUndefined();
    expect(revision?.status).toMatchObject({ published: true, tainted: false });
    expect(Object.keys(revision?.status?.providesVersions ?? {}).sort()).toEqual([
      "clusters",
      "endpoints",
      "listeners",
    ]);
    expect(revision?.status?.conditions?.map(({ type, status }) => [type, status])).toEqual(
      [["RevisionPublished", "True"], ["ResourcesInSync", "True"]],
    );
    const { metadata, status } = await stage.config("kuard");
    expect(metadata.generation).toBe(1);
    expect(status?.revisions?.map(({ version }) => version)).toEqual([version]);
    const ours = (await writes(stage)).filter(({ resource, user }) => resource === "envoyconfigs" && user !== "admin");
    expect(ours.every(({ status }) => status !== undefined)).toBe(true);
    const diff = await stage.site.cluster.kubectl(["-n", stage.namespace, "diff", "-f", "-"], { stdin: yaml });
    expect([diff.code, diff.stdout]).toEqual([0, ""]);
  },
);

clusterTest("T2 bad update: published, refused, rolled back; T3 repair: in sync again", async () => {
  await using stage = await openStage({ replicas: 2 });
  await using upstream = startUpstream("kuard");
  const at = { port: freePort(), upstream };
  await stage.envoy("kuard");
  await stage.apply(await route("one", at));
  await stage.acknowledged("kuard");
  const begun = (await story(stage)).length;
  await using load = startLoad({ target: at, path: "/text" });
  await stage.apply(await route("two", at, { bad: true }));
  await stage.until(
    "kuard",
    "rolled back",
    ({ cacheState, clients }) => cacheState === "Rollback" && clients?.accepted === 1,
  );
  expect((await story(stage)).slice(begun)).toEqual([
    "config applied",
    "B made",
    "B published",
    "A unpublished",
    "config InSync B",
    "B refused by Envoys",
    "A published",
    "B tainted",
    "B unpublished",
    "config Rollback A CacheOutOfSync",
    "A accepted by Envoys",
  ]);
  const rolledBack = (await story(stage)).length;
  await stage.apply(await route("three", at));
  await stage.acknowledged("kuard");
  expect((await story(stage)).slice(rolledBack)).toEqual(served("C", "A"));
  const { status } = await stage.config("kuard");
  expect(status?.conditions?.find(({ type }) => type === "CacheOutOfSync")).toMatchObject({
    status: "False",
    reason: "DesiredVersionPublished",
  });
  expect(Math.min(...publishedCounts(await writes(stage)))).toBe(1);
  const { failed, failures, stale, bodies } = await load.stop();
  expect({ failed, failures, stale }).toEqual({ failed: 0, failures: [], stale: 0 });
  expect([...bodies.keys()]).toEqual(["one", "three"]);
});

clusterTest(
  "T4 all tainted: the rollback fails, both conditions say so; the next good version clears both",
  async () => {
    await using stage = await openStage();
    await using upstream = startUpstream("kuard");
    const at = { port: freePort(), upstream };
    await stage.envoy("kuard");
    for (const text of ["one", "two"]) {
      await stage.apply(await route(text, at, { bad: true }));
      const status = await stage.until("kuard", "at its end", ({ cacheState }) => cacheState === "RollbackFailed");
      expect(status.publishedVersion).toBe("");
    }
    const { status } = await stage.config("kuard");
    expect(status?.conditions?.filter(({ status }) => status === "True").map(({ type, reason }) => [type, reason]))
      .toEqual(
        expect.arrayContaining([["CacheOutOfSync", "CantPublishDesiredVersion"], [
          "RollbackFailed",
          "AllRevisionsTainted",
        ]]),
      );
    expect((await stage.revisions("kuard")).map(({ status }) => status?.tainted)).toEqual([true, true]);
    await stage.apply(await route("three", at));
    await stage.acknowledged("kuard");
    await stage.answers(at.port, "three", { path: "/text" });
    const { conditions } = await stage.until("kuard", "well", () => true);
    for (const [type, reason] of [["CacheOutOfSync", "DesiredVersionPublished"], ["RollbackFailed", "Recovered"]]) {
      expect(conditions?.find((condition) => condition.type === type)).toMatchObject({ status: "False", reason });
    }
    const told = await story(stage);
    expect(told.filter((line) => /tainted|^config/.test(line))).toEqual([
      ...["config applied", "config InSync A", "A tainted", "config RollbackFailed CacheOutOfSync RollbackFailed"],
      ...[
        "config applied",
        "config InSync B",
        "B tainted",
        "config RollbackFailed CacheOutOfSync RollbackFailed",
      ],
      ...["config applied", "config InSync C"],
    ]);
  },
);

clusterTest(
  "T5 EnvoyConfig deleted: its revisions are collected; W5: Envoys keep what they have, and follow when it comes back",
  async () => {
    await using stage = await openStage();
    const [replica] = stage.replicas;
    await using upstream = startUpstream("kuard");
    const at = { port: freePort(), upstream };
    await stage.envoy("kuard");
    await stage.apply(await route("one", at));
    await stage.acknowledged("kuard");
    const streams = await replica!.streams("kuard");
    await using load = startLoad({ target: at });
    expect((await stage.kubectl("delete", "ec", "kuard")).code).toBe(0);
    await replica!.wait("the revisions to be collected", async () => (await stage.revisions("kuard")).length === 0);
    await replica!.wait("the node to be without a configuration", async () => {
      const node = (await replica!.status()).nodes.find(({ nodeId }) => nodeId === "kuard");
      return node !== undefined && node.revision === undefined;
    });
    const log = await writes(stage);
    expect(storyOf(log)).toEqual([...served("A"), "config deleted", "A deleted"]);
    expect(log.at(-1)?.user).not.toContain(stage.namespace); // Kubernetes' own garbage collection did it, not a replica
    await stage.answers(at.port, "one", { path: "/text" });
    await stage.apply(await route("two", at));
    await stage.answers(at.port, "two", { path: "/text" });
    expect(await replica!.streams("kuard")).toEqual(streams);
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
  },
);

clusterTest(
  "T6 restart: what was published is served again, nothing is written, and Envoys are told nothing new",
  async () => {
    await using stage = await openStage({ webhook: false });
    const [replica] = stage.replicas;
    await using upstream = startUpstream("kuard");
    const at = { port: freePort(), upstream };
    const envoy = await stage.envoy("kuard");
    await stage.apply(await route("one", at));
    const version = await stage.acknowledged("kuard");
    const before = await story(stage);
    const loaded = await envoy.stats(LOADED);
    await using load = startLoad({ target: at });
    await replica!.stop();
    await replica!.start();
    await replica!.wait("the stream to come back", async () => (await replica!.streams("kuard")).length === 1, 40_000);
    await replica!.wait("all types to be accepted", async () => {
      const node = (await replica!.status()).nodes.find(({ nodeId }) => nodeId === "kuard");
      return node?.revision?.startsWith(version) &&
        node.streams[0]?.types.every(({ sent, accepted }) => sent === accepted);
    });
    expect((await story(stage)).slice(before.length).filter((line) => !line.endsWith("accepted by Envoys"))).toEqual(
      [],
    );
    expect(await envoy.stats(LOADED)).toEqual(loaded);
    expect(await load.stop()).toMatchObject({ failed: 0, failures: [], stale: 0 });
    // Envoy said what it has, so it gets answers without a single resource; those are longer than this.
    const sent = replica!.logged("Sent").map(({ type, bytes }) => ({ type, empty: Number(bytes) < 128 }));
    expect(sent).toEqual(["RTDS", "CDS", "EDS", "LDS"].map((type) => ({ type, empty: true })));
  },
);
