import { expect } from "expect";
import { envoyRegistry } from "../../envoy/mod.ts";
import { encodeItem, type Resource, type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import { clientReports } from "../../xds/mod.ts";
import { listener, openScene } from "./testing/scene.ts";

const INGRESS = { app: "ingress" };
const POD = { namespace: "rtp", name: "ingress" };

function encoded(type: "listener" | "cluster", value: Record<string, unknown>): Resource {
  const { resource, findings } = encodeItem({ type, value }, envoyRegistry());
  if (!resource) throw new Error(JSON.stringify(findings));
  return resource;
}

/** What an EnvoyConfig gives, with listeners of these names and ports. */
function config(revision: string, listeners: Record<string, number>, clusters: readonly string[] = []): Snapshot {
  return snapshotOf([
    ...Object.entries(listeners).map(([name, port_value]) =>
      encoded("listener", { name, address: { socket_address: { protocol: "UDP", address: "127.0.0.1", port_value } } })
    ),
    ...clusters.map((name) => encoded("cluster", { name })),
  ], { revision });
}

function rtp(name = "rtp", port = 2000) {
  return listener(name, { port, to: { address: "10.1.1.1" } });
}

Deno.test("an EnvoyConfig and VirtualServices serve the same Envoy, each pod of a node id with its own", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.pod("plain", { labels: { app: "plain" } });
  await scene.service("a", { listeners: [rtp()] });
  scene.hub.set("edge", config("v1", { web: 80 }, ["backend"]));
  const ingress = scene.client({ id: "edge", pod: POD });
  const plain = scene.client({ id: "edge", pod: { namespace: "rtp", name: "plain" } });
  const unknown = scene.client({ id: "edge" });
  await scene.settle();
  expect([ingress.names("LDS"), ingress.names("CDS")]).toEqual([["rtp", "web"], ["backend", "rtp-cluster"]]);
  for (const other of [plain, unknown]) expect(other.names("LDS")).toEqual(["web"]);
  // all are clients of that revision
  expect(clientReports(scene.hub, "edge")).toMatchObject([{ revision: "v1", connected: 3, accepted: 3 }]);

  ingress.responses.length = 0;
  plain.responses.length = 0;
  await scene.service("a", { listeners: [rtp("rtp", 2009)] });
  await scene.settle();
  expect([ingress.responses, plain.responses]).toEqual([["LDS rtp"], []]);
  scene.hub.set("edge", config("v2", { web: 81 }, ["backend"]));
  await scene.settle();
  expect([ingress.responses, plain.responses]).toEqual([["LDS rtp", "LDS web"], ["LDS web"]]);
  await scene.remove("VirtualService", "a");
  await scene.settle();
  expect([ingress.names("LDS"), ingress.names("CDS")]).toEqual([["web"], ["backend"]]);
});

Deno.test("what an EnvoyConfig has is left out of VirtualServices and told there, and comes when it is free", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.service("a", {
    listeners: [rtp("web", 2001), rtp("port", 80), rtp("cluster", 2002), rtp("fine", 2003)],
  });
  scene.hub.set("edge", config("v1", { web: 80 }, ["cluster-cluster"]));
  const client = scene.client({ id: "edge", pod: POD });
  await scene.settle();
  expect([client.names("LDS"), client.names("CDS")]).toEqual([["fine", "web"], ["cluster-cluster", "fine-cluster"]]);
  const conflict = async () => (await scene.status("a")).conditions?.find(({ type }) => type === "Conflict");
  expect((await conflict())?.message).toBe([
    `listeners[0] is left out: listener name "web" is taken by an EnvoyConfig`,
    "listeners[1] is left out: UDP port 80 is taken by an EnvoyConfig",
    `listeners[2] is left out: cluster name "cluster-cluster" is taken by an EnvoyConfig`,
  ].join("; "));
  scene.hub.set("edge", config("v2", { other: 81 }));
  await scene.settle();
  expect(client.names("LDS")).toEqual(["cluster", "fine", "other", "port", "web"]);
  expect((await conflict())?.status).toBe("False");
});

Deno.test("what an Envoy refuses of a VirtualService does not count against the EnvoyConfig beside it", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.service("a", { listeners: [rtp()] });
  scene.hub.set("edge", config("v1", { web: 80 }));
  const refuses = (names: readonly string[]) =>
    names.includes("rtp") ? "Error adding/updating listener(s) rtp: cannot bind\n" : undefined;
  scene.client({ id: "edge", pod: POD, refuses });
  await scene.settle();
  expect(clientReports(scene.hub, "edge")).toMatchObject([{ revision: "v1", rejected: 0, refusedData: 1 }]);
  expect(await scene.status("a")).toMatchObject({
    nodes: { served: 1, accepted: 0, rejected: 1 },
    rejections: [{ client: "rtp/ingress", message: "cannot bind" }],
  });
});

Deno.test("an EnvoyConfig that goes leaves VirtualServices alone, and what connected Envoys keep of it is asked for elsewhere", async () => {
  for (const how of ["keep", "empty"] as const) {
    await using scene = await openScene();
    await scene.pod("ingress", { labels: INGRESS });
    await scene.service("a", { listeners: [rtp()] });
    scene.hub.set("edge", config("v1", { web: 80 }));
    const client = scene.client({ id: "edge", pod: POD });
    await scene.settle();
    scene.hub.remove("edge", how);
    await scene.settle();
    expect(client.names("LDS")).toEqual(how === "keep" ? ["rtp", "web"] : ["rtp"]);
    await scene.service("a", { listeners: [rtp("again", 2002)] });
    await scene.settle();
    expect(client.names("LDS")).toEqual(how === "keep" ? ["again", "web"] : ["again"]);
  }
});

Deno.test("a layer that is kept although its pod is gone stays beside a new EnvoyConfig", async () => {
  await using scene = await openScene({ onDelete: "keep" });
  await scene.pod("ingress", { labels: INGRESS });
  await scene.service("a", { listeners: [rtp()] });
  const client = scene.client({ id: "edge", pod: POD });
  await scene.settle();
  await scene.remove("Pod", "ingress");
  scene.hub.set("edge", config("v1", { web: 80 }));
  await scene.settle();
  expect(client.names("LDS")).toEqual(["rtp", "web"]);
});

Deno.test("rule 5: pods that the same VirtualServices select share what is made for them, later ones, too", async () => {
  await using scene = await openScene();
  for (const name of ["one", "two"]) await scene.pod(name, { labels: INGRESS });
  await scene.service("a", { listeners: [rtp()] });
  scene.hub.set("edge", config("v1", { web: 80 }));
  for (const name of ["one", "two", "three"]) scene.client({ id: "edge", pod: { namespace: "rtp", name } });
  await scene.settle();
  await scene.pod("three", { labels: INGRESS });
  await scene.settle();
  const snapshots = scene.hub.streamsOf("edge").map(({ session }) => session.offer?.snapshot);
  expect([snapshots.length, new Set(snapshots).size]).toEqual([3, 1]);
});
