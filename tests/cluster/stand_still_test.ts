import { expect } from "expect";
import { eventually, listener } from "../envoy/harness/mod.ts";
import { XdsClient } from "../standalone/xds_client.ts";
import { clusterTest, startControlPlane } from "./control_plane/mod.ts";
import type { Replica } from "./discovery_service/replica.ts";
import { openSite } from "./discovery_service/site.ts";
import { TcpProxy } from "./tcp_proxy.ts";

function inbound(text: string) {
  return listener("in", { port: 10000, routes: { text } });
}

/** Stops a process for so long that it must notice. */
async function standStill(replica: Replica, meanwhile: () => Promise<void>): Promise<void> {
  const since = performance.now();
  replica.process.signal("SIGSTOP");
  await meanwhile();
  await eventually(() => performance.now() - since > 2_500, { what: "time to pass" });
}

clusterTest("a replica that stood still tells nobody of a revision that is no longer served", async () => {
  await using site = await openSite();
  await using network = new TcpProxy(site.cluster.server);
  const [one, two] = [site.replica("xds-0"), site.replica("xds-1", { server: network.address })];
  await one.start();
  await two.start();
  await site.configure("edge", [inbound("old")]);
  const tls = await site.clientTls();
  await using clients = new AsyncDisposableStack();
  const known = clients.use(new XdsClient(two.xdsPort, { tls }));
  expect((await known.next("LDS")).bytes).toContain("old");

  let newcomer: XdsClient | undefined;
  await standStill(two, async () => {
    network.mode = "hole"; // what happens meanwhile does not wait for it in a buffer
    await site.configure("edge", [inbound("new")]);
    const other = clients.use(new XdsClient(one.xdsPort, { tls }));
    await one.wait("the new revision", async () => (await other.next("LDS")).bytes.includes("new"));
    newcomer = clients.use(new XdsClient(two.xdsPort, { tls })); // the system holds the door open for it
  });
  two.process.signal("SIGCONT");
  await two.wait("the pause", async () => (await two.status()).cluster?.pausedSince !== undefined);
  network.mode = "forward";
  network.cut();
  // It is told the truth, or sent away because that takes long; but never told what was.
  const first = await newcomer!.next("LDS").then(({ bytes }) => bytes, (thrown: Error) => thrown.message);
  expect(first).toMatch(/new|does not know the present configuration yet/);
  expect((await known.next("LDS", 30_000)).bytes).toContain("new");
  expect(two.logged("All changes are known again; Envoys are answered").length).toBe(1);
  const late = clients.use(new XdsClient(two.xdsPort, { tls }));
  expect((await late.next("LDS")).bytes).toContain("new");
  expect(known.broken).toBeUndefined();
  await clients.disposeAsync(); // before the server says goodbye
  await Promise.all([one.stop(), two.stop()]);
});

clusterTest("a leader that stood still leads no more, and nobody is told what it does not know", async () => {
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  await using site = await openSite(cluster);
  const [one, two] = [site.replica("xds-0"), site.replica("xds-1")];
  const awake = () =>
    one.wait("the end of the pause", async () => (await one.status()).cluster?.pausedSince === undefined, 30_000);
  await one.start();
  await site.configure("edge", [inbound("old")]);
  await two.start();
  const tls = await site.clientTls();
  await using clients = new AsyncDisposableStack();
  const known = clients.use(new XdsClient(one.xdsPort, { tls }));
  expect((await known.next("LDS")).bytes).toContain("old");
  expect(await one.leads()).toBe(true);
  const { publishedVersion: first } = await site.statusOf("edge");

  await standStill(one, async () => {
    await two.wait("the other one to lead", () => two.leads());
    await site.configure("edge", [inbound("new")]);
    await two.wait("its decision", async () => {
      const { desiredVersion, publishedVersion, cacheState } = await site.statusOf("edge");
      return cacheState === "InSync" && publishedVersion === desiredVersion && publishedVersion !== first;
    });
  });
  one.process.signal("SIGCONT");
  await one.wait("it to know who leads", async () => (await one.status()).cluster?.leader.name === "xds-1");
  expect(one.logged("Not leading any more").length).toBe(1);
  await awake();
  expect((await known.next("LDS")).bytes).toContain("new");
  const { publishedVersion: last } = await site.statusOf("edge");
  const versions = ["get", "ecr", "-n", site.namespace, "-o", "jsonpath={.items[*].spec.version}"];
  expect((await cluster.kubectl(versions)).stdout.split(" ").sort()).toEqual([first, last].sort());

  await cluster.freeze("kube-apiserver");
  const served = clients.use(new XdsClient(one.xdsPort, { tls }));
  expect((await served.next("LDS")).bytes).toContain("new"); // what is known is served while nobody can be asked
  await standStill(one, () => Promise.resolve());
  one.process.signal("SIGCONT");
  const newcomer = clients.use(new XdsClient(one.xdsPort, { tls }));
  await expect(newcomer.next("LDS")).rejects.toThrow("does not know the present configuration yet");
  expect(await one.metrics()).toContain("chancery_xds_paused 1");
  expect(await one.probe("/readyz")).toMatchObject({ status: 503, body: expect.stringContaining("stood still") });
  expect(known.broken).toBeUndefined();
  await cluster.thaw("kube-apiserver");
  await awake();
  const late = clients.use(new XdsClient(one.xdsPort, { tls }));
  expect((await late.next("LDS")).bytes).toContain("new");
  expect(known.broken).toBeUndefined();
  await clients.disposeAsync(); // before the servers say goodbye
  await Promise.all([one.stop(), two.stop()]);
});
