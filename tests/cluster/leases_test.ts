import { expect } from "expect";
import { systemClock } from "../../src/base/mod.ts";
import { connect, type KubeConnection } from "../../src/store/kubernetes/mod.ts";
import {
  LeaderElection,
  LeaseClient,
  type Leases,
  type LeaseTimes,
  openLeases,
} from "../../src/store/kubernetes/lease/mod.ts";
import { createLogger } from "../../src/telemetry/mod.ts";
import { eventually } from "../envoy/harness/mod.ts";
import { clusterTest, sharedControlPlane } from "./control_plane/mod.ts";

const TIMES = { durationMs: 2_000, renewDeadlineMs: 1_200, retryMs: 100 };
const log = createLogger({ now: () => 0, write() {} });

/** The Leases of a replica. */
function open(
  { connection, namespace }: { connection: KubeConnection; namespace: string },
  { name, bootId, times = TIMES }: { name: string; bootId: string; times?: LeaseTimes },
): Leases {
  return openLeases({
    connection,
    namespace,
    name: "leader",
    role: "discovery-service",
    self: { name, bootId },
    times,
    clock: systemClock,
    random: Math.random,
    log,
    onLeadership() {},
    onReplicas() {},
  });
}

async function setUp() {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace("leases");
  const connection = await connect({ kubeconfig: cluster.kubeconfig, env: () => undefined, clock: systemClock });
  return { cluster, namespace, connection, client: new LeaseClient({ connection, namespace, timeoutMs: 5_000 }) };
}

clusterTest(
  "of many candidates at once exactly one leads, and the Lease goes round as each gives it back",
  async () => {
    const { connection, client } = await setUp();
    await using _closed = connection;
    const overlaps: number[] = [];
    const candidates = ["a", "b", "c", "d", "e"].map((name) =>
      new LeaderElection({
        client,
        name: "leader",
        labels: { "chancery.dev/role": "test" },
        self: { name, bootId: crypto.randomUUID() },
        times: TIMES,
        clock: systemClock,
        random: Math.random,
        log,
        onChange: () => overlaps.push(candidates.filter((candidate) => candidate.leading()).length),
      })
    );
    await Promise.all(candidates.map((candidate) => candidate.start()));
    for (let left = candidates.length; left > 0; left--) {
      const leader = await eventually(() => candidates.find((candidate) => candidate.leading()), { what: "a leader" });
      expect(candidates.filter((candidate) => candidate.leading()).length).toBe(1);
      expect((await client.get("leader"))?.transitions).toBe(candidates.length - left);
      await leader.stop();
    }
    expect(Math.max(...overlaps)).toBe(1);
    expect(await client.get("leader")).toMatchObject({ holder: "", labels: { "chancery.dev/role": "test" } });
  },
);

clusterTest("LeaseClient tells a race as a conflict, and removes nothing that has changed", async () => {
  const { connection, client } = await setUp();
  await using _closed = connection;
  const now = "2026-01-01T00:00:00.000000Z";
  const content = { holder: "x", durationMs: 1_000, acquireTime: now, renewTime: now, transitions: 0, labels: {} };
  expect(await client.get("one")).toBeUndefined();
  const made = await client.create("one", content);
  await expect(client.create("one", content)).rejects.toMatchObject({ code: "conflict" });
  const renewed = await client.replace(made, { ...content, renewTime: "2026-01-01T00:00:01.000000Z" });
  await expect(client.replace(made, content)).rejects.toMatchObject({ code: "conflict" });
  await client.remove(made);
  expect(await client.get("one")).toMatchObject({ holder: "x", renewTime: "2026-01-01T00:00:01.000000Z" });
  await client.remove(renewed);
  expect(await client.get("one")).toBeUndefined();
  await expect(client.replace(renewed, content)).rejects.toMatchObject({ code: "conflict" });
});

clusterTest("replicas see each other come, go and vanish; a name that is used twice is told", async () => {
  const at = await setUp();
  await using _closed = at.connection;
  const one = open(at, { name: "xds-0", bootId: "boot-0" });
  const two = open(at, { name: "xds-1", bootId: "boot-1" });
  await one.start();
  await two.start();
  const both = { "xds-0": "boot-0", "xds-1": "boot-1" };
  await eventually(() => one.live().size === 2 && two.live().size === 2, { what: "both to see both" });
  expect([Object.fromEntries(one.live()), Object.fromEntries(two.live())]).toEqual([both, both]);
  expect([one.leading(), two.leading(), two.leader()]).toEqual([true, false, "xds-0"]);

  const rival = open(at, { name: "xds-1", bootId: "boot-2" });
  await rival.start();
  await eventually(() => one.live().get("xds-1") === "boot-2", { what: "the newer life to count" });
  await eventually(() => two.problems().length > 0, { what: "the name that is used twice" });
  expect(two.problems()).toEqual([`another process runs under the replica name "xds-1", too`]);
  await rival.stop();
  await two.stop();
  await eventually(() => one.live().size === 1, { what: "those that ended to be gone" });
  await one.resign();
  expect(one.leading()).toBe(false);
  await one.stop();
});

clusterTest("a Lease that is given back is taken at once, however rarely candidates look", async () => {
  const at = await setUp();
  await using _closed = at.connection;
  const times = { durationMs: 60_000, renewDeadlineMs: 50_000, retryMs: 40_000 };
  const one = open(at, { name: "xds-0", bootId: "boot-0", times });
  const two = open(at, { name: "xds-1", bootId: "boot-1", times });
  await one.start();
  await two.start();
  await eventually(() => one.live().size === 2, { what: "the other one to be seen" });
  expect([one.leading(), two.leading()]).toEqual([true, false]);
  await one.stop();
  await eventually(() => two.leading() && two.live().size === 1, { what: "the leadership" });
  await two.stop();
});
