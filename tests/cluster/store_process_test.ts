import { expect } from "expect";
import { connect } from "../../src/store/kubernetes/mod.ts";
import { systemClock } from "../../src/base/mod.ts";
import { clusterTest, sharedControlPlane, whyUnavailable } from "./control_plane/mod.ts";
import { applySampleCrd, eventually, openStore, SAMPLE } from "./store_scene.ts";
import { StoreProcess } from "./store_process.ts";

const SECRETS = 5000;
const NEEDED = ["s-7", "s-4999"];
const MB = 1024 * 1024;

Deno.test({
  name: "I15: 5,000 Secrets are held in little memory, flat over 5,000 updates, and unneeded data not at all",
  ignore: await whyUnavailable() !== undefined,
  timeout: 300_000, // 10,000 writes
  fn: manySecrets,
});

async function manySecrets(): Promise<void> {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace("many");
  await using connection = await connect({
    kubeconfig: cluster.kubeconfig,
    env: () => undefined,
    clock: systemClock,
  });
  const path = `/api/v1/namespaces/${namespace}/secrets`;
  const filler = "z".repeat(2000);
  const data = (name: string, round: number) => ({ value: btoa(`${name} canary-${round} ${filler}`) });
  const write = (method: string, name: string, round: number) =>
    connection.request(method === "POST" ? path : `${path}/${name}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name }, data: data(name, round) }),
    });
  const all = async (method: string, round: number) => {
    const names = Array.from({ length: SECRETS }, (_, i) => `s-${i}`);
    await Promise.all(Array.from({ length: 8 }, async () => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) await write(method, name, round);
    }));
  };
  await all("POST", 0);
  await using process = new StoreProcess({
    kubeconfig: cluster.kubeconfig,
    namespace,
    kind: "Secret",
    needed: NEEDED,
  });
  const before = await process.ask("report");
  expect(before).toMatchObject({ objects: SECRETS, full: NEEDED.length });
  await all("PUT", 1);
  await process.ask("caughtUp");
  const after = await process.ask("report");
  expect(after).toMatchObject({ objects: SECRETS, full: NEEDED.length });
  expect(after.events).toBeGreaterThanOrEqual(before.events + SECRETS);
  const mb = (bytes: number) => `${(bytes / MB).toFixed(1)} MB`;
  console.log(
    `heap ${mb(before.heapBytes)} -> ${mb(after.heapBytes)}, resident ${mb(before.rssBytes)} -> ${mb(after.rssBytes)}`,
  );
  expect(after.heapBytes).toBeLessThan(before.heapBytes + 3 * MB);
  expect(after.heapBytes).toBeLessThan(80 * MB);

  const needed = data("s-7", 1).value.slice(0, 24);
  const others = data("s-8", 1).value.slice(0, 24);
  expect((await process.ask("search", needed)).found).toBeGreaterThan(0); // the search finds what is there
  expect((await process.ask("search", others)).found).toBe(0);
  expect((await process.ask("search", data("s-7", 0).value.slice(0, 24))).found).toBe(0); // nor what was
}

clusterTest("a process that was frozen tells, once it is thawed, what happened meanwhile", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  const { apiVersion, kind } = SAMPLE;
  const put = (size: number) =>
    opened.store.apply({ apiVersion, kind, metadata: { name: "a", namespace }, spec: { size } }, { fieldManager: "x" });
  await put(1);
  await using process = new StoreProcess({ kubeconfig: cluster.kubeconfig, namespace, kind });
  expect((await process.ask("report")).size).toBe(1);
  process.signal("SIGSTOP");
  for (let size = 2; size <= 20; size++) await put(size);
  process.signal("SIGCONT");
  const { size, events } = await process.ask("caughtUp");
  expect([size, events]).toEqual([20, 20]);
  await put(21);
  await eventually(async () => (await process.ask("report")).size === 21, "the watch goes on");
});
