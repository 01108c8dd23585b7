import { expect } from "expect";
import { systemClock } from "../../src/base/mod.ts";
import { connect } from "../../src/store/kubernetes/mod.ts";
import type { Metrics } from "../../src/telemetry/mod.ts";
import { createAuthority } from "../certificates.ts";
import { clusterTest, type ControlPlane, startControlPlane } from "./control_plane/mod.ts";
import { applySampleCrd, eventually, type OpenStore, openStore, SAMPLE, Told } from "./store_scene.ts";
import { TcpProxy } from "./tcp_proxy.ts";

/** An API server of one's own with the kind Sample, quick to start. */
async function ownCluster(): Promise<ControlPlane> {
  const cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  await applySampleCrd(cluster);
  return cluster;
}

/** The administrator's kubeconfig with another address, and maybe another user. */
async function kubeconfigVia(cluster: ControlPlane, server: string, user?: object): Promise<string> {
  const config = JSON.parse(await Deno.readTextFile(cluster.kubeconfig));
  config.clusters[0].cluster.server = server;
  if (user) config.users[0].user = user;
  const path = `${cluster.directory}/via-${crypto.randomUUID()}.kubeconfig`;
  await Deno.writeTextFile(path, JSON.stringify(config), { mode: 0o600 });
  return path;
}

async function put({ store }: OpenStore, namespace: string, name: string, size: number): Promise<void> {
  const { apiVersion, kind } = SAMPLE;
  await store.apply({ apiVersion, kind, metadata: { name, namespace }, spec: { size } }, { fieldManager: "test" });
}

/** Goes on until it has worked, as a reconciler does. */
async function insist(write: () => Promise<unknown>): Promise<void> {
  await eventually(() => write().then(() => true, () => false), "the API server takes a write", 60_000);
}

clusterTest("no change is lost, doubled or made up while the API server is killed and comes back", async () => {
  await using cluster = await ownCluster();
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  await using writer = await openStore(cluster.kubeconfig);
  for (let i = 0; i < 20; i++) await put(writer, namespace, `stays-${i}`, 0);
  for (let i = 0; i < 5; i++) await put(writer, namespace, `goes-${i}`, 0);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  expect(told.present.size).toBe(25);

  const killed = (async () => {
    for (let round = 0; round < 2; round++) {
      await cluster.stop("kube-apiserver", { signal: "SIGKILL" });
      await cluster.start("kube-apiserver");
    }
  })();
  for (let size = 1; size <= 10; size++) {
    await Promise.all(Array.from({ length: 20 }, (_, i) => insist(() => put(writer, namespace, `stays-${i}`, size))));
  }
  for (let i = 0; i < 5; i++) {
    await insist(() => writer.store.remove({ kind: SAMPLE.kind, namespace, name: `goes-${i}` }));
  }
  await killed;
  await insist(() => put(writer, namespace, "last", 1));
  await eventually(() => told.present.has("last"), "the watch has seen the last change", 60_000);

  for (let i = 0; i < 20; i++) {
    expect(told.present.get(`stays-${i}`)).toBe(10);
    const events = told.events.filter(({ object }) => object.metadata.name === `stays-${i}`);
    expect(events.map(({ type }) => type).filter((type) => type !== "modified")).toEqual(["added"]);
    const sizes = events.map(({ object }) => (object.spec as { size: number }).size);
    expect(sizes).toEqual([...new Set(sizes)].sort((a, b) => a - b)); // forwards, each once
  }
  expect([...told.present.keys()].filter((name) => name.startsWith("goes"))).toEqual([]);
  await eventually(() => opened.store.watches()[0]!.state === "current", "the watch goes on");
});

clusterTest("after a gap too long to resume only what differs is told", async () => {
  await using cluster = await ownCluster();
  await using proxy = new TcpProxy(cluster.server);
  const namespace = await cluster.namespace();
  await using opened = await openStore(await kubeconfigVia(cluster, proxy.address), { idleMs: 2000 });
  await using writer = await openStore(cluster.kubeconfig);
  for (const name of ["same", "changes", "goes", "anew"]) await put(writer, namespace, name, 1);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  const uid = told.events.find(({ object }) => object.metadata.name === "anew")!.object.metadata.uid;
  const before = told.events.length;

  proxy.mode = "hole";
  proxy.cut();
  await put(writer, namespace, "changes", 2);
  await writer.store.remove({ kind: SAMPLE.kind, namespace, name: "goes" });
  await writer.store.remove({ kind: SAMPLE.kind, namespace, name: "anew" });
  await put(writer, namespace, "anew", 3);
  await put(writer, namespace, "new", 4);
  // an API server that starts anew knows nothing of the versions before: resuming is answered by 410
  await cluster.stop("kube-apiserver");
  await cluster.start("kube-apiserver");
  proxy.mode = "forward";
  await eventually(() => told.present.has("new"), "the watch has listed again", 60_000);
  await eventually(() => !told.present.has("goes"), "the list has come to its end");

  const events = told.events.slice(before);
  const lines = told.lines().slice(before).sort();
  expect(lines).toEqual(["added anew 3", "added new 4", "deleted anew 1", "deleted goes 1", "modified changes 2"]);
  const anew = events.filter(({ object }) => object.metadata.name === "anew");
  expect(anew.map(({ type }) => type)).toEqual(["deleted", "added"]);
  expect(anew[0]!.object.metadata.uid).toBe(uid);
  expect(anew[1]!.object.metadata.uid).not.toBe(uid);
});

clusterTest("a network that swallows everything is noticed, and the watch goes on where it was", async () => {
  await using cluster = await ownCluster();
  await using proxy = new TcpProxy(cluster.server);
  const namespace = await cluster.namespace();
  await using opened = await openStore(await kubeconfigVia(cluster, proxy.address), { idleMs: 1000 });
  await using writer = await openStore(cluster.kubeconfig);
  await put(writer, namespace, "a", 1);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);

  proxy.mode = "hole";
  for (let size = 2; size <= 5; size++) await put(writer, namespace, "a", size);
  await writer.store.remove({ kind: SAMPLE.kind, namespace, name: "a" });
  await put(writer, namespace, "a", 6);
  await eventually(() => opened.store.watches()[0]!.state === "resuming", "the silence is noticed");
  expect(opened.log.join("\n")).toContain(
    `Cannot watch Sample in all namespaces: the API server has been silent for too long`,
  );
  const connections = proxy.connections;
  await eventually(() => proxy.connections > connections, "another connection is tried", 40_000);
  expect(proxy.connections - connections).toBeLessThan(5); // no hot loop
  proxy.mode = "forward";
  await eventually(() => told.present.get("a") === 6, "all was told", 60_000);
  expect(told.lines()).toEqual([
    "added a 1",
    "modified a 2",
    "modified a 3",
    "modified a 4",
    "modified a 5",
    "deleted a 5",
    "added a 6",
  ]);
});

clusterTest("a frozen API server is survived, and caughtUp() waits until nothing is missing", async () => {
  await using cluster = await ownCluster();
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  await put(opened, namespace, "a", 1);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  await cluster.freeze("kube-apiserver");
  const late = AbortSignal.timeout(500);
  expect(await opened.store.caughtUp(late).then(() => "caught up", () => "not yet")).toBe("not yet");
  await cluster.thaw("kube-apiserver");
  await insist(() => put(opened, namespace, "a", 2));
  await opened.store.caughtUp(AbortSignal.timeout(20_000));
  expect(told.present.get("a")).toBe(2);
  await cluster.kubectl(["create", "configmap", "other", "-n", namespace]); // the cluster moves on, Samples do not
  await opened.store.caughtUp(AbortSignal.timeout(20_000));
  await eventually(() => opened.store.watches()[0]!.state === "current", "the watch goes on");
});

clusterTest("caughtUp() asks an API server that is away calmly, and resolves once it is back", async () => {
  await using cluster = await ownCluster();
  const namespace = await cluster.namespace();
  const requests: string[] = [];
  const metrics: Metrics = {
    count: (name, labels) => {
      if (name === "chancery_kubernetes_requests_total") requests.push(JSON.stringify(labels));
    },
    set: () => {},
    observe: () => {},
    clear: () => {},
  };
  await using opened = await openStore(cluster.kubeconfig, { connect: { metrics } });
  await put(opened, namespace, "a", 1);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  await cluster.stop("kube-apiserver", { signal: "SIGKILL" });
  await eventually(() => opened.store.watches()[0]!.state === "resuming", "the loss is noticed");
  const before = requests.length;
  const caughtUp = opened.store.caughtUp(AbortSignal.timeout(60_000));
  const tooEarly = opened.store.caughtUp(AbortSignal.timeout(3000));
  expect(await tooEarly.then(() => "caught up", () => "not yet")).toBe("not yet");
  expect(requests.length - before).toBeLessThan(20);
  expect(requests.at(-1)).toBe('{"method":"GET","code":"none"}');
  await cluster.start("kube-apiserver");
  await caughtUp;
  expect(told.lines()).toEqual(["added a 1"]);
});

clusterTest("an API server that does not stream lists is listed in pages", async () => {
  await using cluster = await startControlPlane({
    components: ["etcd", "kube-apiserver"],
    apiserverFlags: ["--feature-gates=WatchList=false,WatchListClient=false"],
  });
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await using writer = await openStore(cluster.kubeconfig);
  const names = Array.from({ length: 1203 }, (_, i) => `n-${i}`);
  for (let from = 0; from < names.length; from += 50) {
    await Promise.all(names.slice(from, from + 50).map((name) => put(writer, namespace, name, 1)));
  }
  await using opened = await openStore(cluster.kubeconfig);
  const streaming = { watch: true, sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" };
  const refused = opened.connection.request(`/apis/${SAMPLE.apiVersion}/samples`, { query: streaming });
  expect((await refused.catch((thrown) => thrown)).status).toBe(422);
  using told = await Told.watch(opened.store, SAMPLE.kind, namespace);
  expect(told.events.length).toBe(1203);
  const { items } = await opened.store.list(SAMPLE.kind, { namespace });
  expect(items.length).toBe(1203);
  await put(writer, namespace, "n-7", 2);
  await eventually(() => told.present.get("n-7") === 2, "the watch goes on from the list");
  expect(told.events.length).toBe(1204);
});

clusterTest("a client certificate that is replaced in its file is the one that is shown from then on", async () => {
  await using cluster = await ownCluster();
  const authority = await createAuthority();
  const caFile = `${cluster.directory}/ca.crt`;
  await Deno.writeTextFile(caFile, `${await Deno.readTextFile(caFile)}${authority.cert}`); // the API server notices
  const folder = await Deno.makeTempDir();
  const become = async (commonName: string) => {
    const { cert, key } = await authority.issue({ commonName, organization: "system:masters" });
    await Deno.writeTextFile(`${folder}/me.crt`, cert);
    await Deno.writeTextFile(`${folder}/me.key`, key);
  };
  await become("first");
  const kubeconfig = await kubeconfigVia(cluster, cluster.server, {
    "client-certificate": `${folder}/me.crt`,
    "client-key": `${folder}/me.key`,
  });
  const offset = { ms: 0 };
  const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + offset.ms };
  await using connection = await connect({ kubeconfig, env: () => undefined, clock });
  const whoAmI = async () => {
    const response = await connection.request("/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" }),
    });
    return (await response.json()).status.userInfo.username as string;
  };
  await eventually(() => whoAmI().then((name) => name === "first", () => false), "the authority is trusted", 90_000);
  await become("second");
  expect(await whoAmI()).toBe("first"); // not read at each request
  offset.ms += 10_000;
  expect(await whoAmI()).toBe("second");
  await Deno.remove(folder, { recursive: true });
});
