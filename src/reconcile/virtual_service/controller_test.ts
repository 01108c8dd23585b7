import { expect } from "expect";
import { listener, openScene } from "./testing/scene.ts";

const INGRESS = { app: "ingress" }, WORKER = { app: "worker" };

function rtp(port = 2000) {
  return listener("rtp", { port, to: { selector: WORKER } });
}

Deno.test("[op] a client that says who it is only once is served on: later requests carry no node", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  const listeners = scene.client({ id: "uid-ingress", only: "LDS" });
  const clusters = scene.client({ id: "uid-ingress", only: "CDS" });
  await scene.settle();
  await scene.service("a", { listeners: [rtp()] });
  await scene.settle();
  await scene.service("b", { listeners: [listener("more", { port: 2002, to: { address: "10.1.1.1" } })] });
  await scene.settle();
  expect([listeners.names("LDS"), clusters.names("CDS")]).toEqual([["more", "rtp"], ["more-cluster", "rtp-cluster"]]);
  expect([listeners.ended, clusters.ended]).toEqual([undefined, undefined]);
});

Deno.test("[op] a pod that nothing selects is answered at once, with nothing, so that its Envoy need not wait", async () => {
  await using scene = await openScene();
  await scene.pod("lonely", { labels: { app: "lonely" } });
  await scene.settle();
  const client = scene.client({ id: "uid-lonely" });
  await scene.settle();
  expect(client.responses).toEqual(["CDS", "LDS"]);
});

Deno.test("an Envoy with a node id of its own waits for its EnvoyConfig while nothing selects its pod", async () => {
  await using scene = await openScene();
  await scene.pod("shop-1", { labels: INGRESS });
  await scene.settle();
  const client = scene.client({ id: "edge", pod: { namespace: "rtp", name: "shop-1" } });
  await scene.settle();
  expect(client.responses).toEqual([]);
  await scene.service("a", { listeners: [rtp()] });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["rtp"]);
  await scene.remove("VirtualService", "a");
  await scene.settle();
  expect([client.names("LDS"), client.names("CDS")]).toEqual([[], []]);
});

Deno.test("[op] two labels that match give each resource once, and all labels have to match", async () => {
  await using scene = await openScene();
  await scene.pod("both", { labels: { app: "ingress", tier: "edge" } });
  await scene.pod("one", { labels: { app: "ingress", tier: "core" } });
  await scene.service("a", { selector: { app: "ingress", tier: "edge" }, listeners: [rtp()] });
  await scene.settle();
  const [both, one] = [scene.client({ id: "uid-both" }), scene.client({ id: "uid-one" })];
  await scene.settle();
  expect([both.responses, one.responses]).toEqual([["CDS rtp-cluster", "LDS rtp"], ["CDS", "LDS"]]);
});

Deno.test("[op] a pod of another namespace is not reached, unless the annotation says so", async () => {
  await using scene = await openScene();
  await scene.pod("near", { labels: INGRESS });
  await scene.pod("far", { labels: INGRESS, namespace: "elsewhere" });
  await scene.pod("w", { labels: WORKER, ip: "10.0.0.9", namespace: "elsewhere" });
  await scene.service("a", { listeners: [{ ...rtp() }] });
  const [near, far] = [scene.client({ id: "uid-near" }), scene.client({ id: "uid-far" })];
  await scene.settle();
  expect([near.names("LDS"), far.names("LDS")]).toEqual([["rtp"], []]);
  expect(JSON.stringify(near.held.get("CDS rtp-cluster"))).not.toContain("10.0.0.9");
  await scene.service("a", { listeners: [rtp()], annotations: { "servicemesh.l7mp.io/scope": "cluster" } });
  await scene.settle();
  expect([near.names("LDS"), far.names("LDS")]).toEqual([["rtp"], ["rtp"]]);
  expect(JSON.stringify(near.held.get("CDS rtp-cluster"))).toContain("10.0.0.9");
});

Deno.test("[op] what a spec no longer says is removed, and what it says now is there", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  const client = scene.client({ id: "uid-ingress" });
  const other = listener("other", { port: 2002, to: { address: "10.1.1.1" } });
  await scene.service("a", { listeners: [rtp(), other] });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["other", "rtp"]);
  await scene.service("a", { listeners: [other] });
  await scene.settle();
  expect([client.names("LDS"), client.names("CDS")]).toEqual([["other"], ["other-cluster"]]);
});

Deno.test("[op] a VirtualService that was changed can be deleted, and one of the same name elsewhere stays", async () => {
  await using scene = await openScene();
  for (const namespace of ["rtp", "elsewhere"]) {
    await scene.pod("ingress", { labels: INGRESS, namespace, uid: `uid-${namespace}` });
    await scene.service("a", { namespace, listeners: [rtp()] });
  }
  const [here, there] = [scene.client({ id: "uid-rtp" }), scene.client({ id: "uid-elsewhere" })];
  await scene.settle();
  await scene.service("a", { listeners: [rtp(2005)] });
  await scene.settle();
  await scene.remove("VirtualService", "a");
  await scene.settle();
  expect([here.names("LDS"), here.names("CDS"), there.names("LDS")]).toEqual([[], [], ["rtp"]]);
});

Deno.test("[op] an old finalizer keeps no change away, and is taken off when the object is being deleted", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  const client = scene.client({ id: "uid-ingress" });
  const first = await scene.service("a", { listeners: [rtp()] });
  await scene.settle();
  const metadata = { ...first.metadata, generation: 2, finalizers: ["l7mp.io/delete"] };
  const spec = { selector: INGRESS, listeners: [listener("new", { port: 2003, to: { address: "10.1.1.1" } })] };
  scene.tell({ type: "modified", object: { ...first, metadata, spec } });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["new"]);
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  scene.tell({ type: "modified", object: { ...first, metadata: { ...metadata, deletionTimestamp }, spec } });
  await scene.settle();
  expect([client.names("LDS"), scene.taken]).toEqual([[], ["rtp/a l7mp.io/delete"]]);
});

Deno.test("[op] only pods that are Ready and have an address are endpoints, whatever their labels: none has an empty one", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.pod("starting", { labels: WORKER, ready: false, ip: "10.0.0.1" });
  await scene.pod("pending", { labels: WORKER, ready: false });
  await scene.pod("running", { labels: { app: "worker", zone: "z" }, ip: "10.0.0.3" });
  await scene.service("a", { listeners: [rtp()] });
  const client = scene.client({ id: "uid-ingress" });
  await scene.settle();
  const told = JSON.stringify(client.held.get("CDS rtp-cluster"));
  expect(told.match(/10\.0\.0\.\d/g)?.sort()).toEqual(["10.0.0.3", "10.0.0.3"]); // and once more as what is hashed
  expect(told).not.toContain(`"address":""`);
});

Deno.test("[op] the endpoints of a strictdns cluster follow its pods, the last one that goes included", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.service("a", { listeners: [rtp()] });
  const client = scene.client({ id: "uid-ingress" });
  const addresses = () => [
    ...new Set(JSON.stringify(client.held.get("CDS rtp-cluster")).match(/10\.0\.0\.\d/g)),
  ];
  await scene.settle();
  expect(addresses()).toEqual([]);
  await scene.pod("one", { labels: WORKER, ip: "10.0.0.1" });
  await scene.pod("two", { labels: WORKER, ip: "10.0.0.2" });
  await scene.settle();
  expect(addresses()).toEqual(["10.0.0.1", "10.0.0.2"]);
  await scene.pod("one", { labels: WORKER, ip: "10.0.0.1", ready: false });
  await scene.settle();
  expect(addresses()).toEqual(["10.0.0.2"]);
  await scene.remove("Pod", "two");
  await scene.settle();
  expect(addresses()).toEqual([]);
});

Deno.test("[op] with eds every client of a cluster is told every change, of all endpoint entries, down to none", async () => {
  await using scene = await openScene();
  for (const name of ["in-1", "in-2"]) await scene.pod(name, { labels: INGRESS });
  const to = [{ selector: WORKER }, { address: "10.7.7.7" }];
  const listeners = [
    listener("rtp", { port: 2000, to, discovery: "eds" }),
    listener("rtcp", { port: 2001, to: { selector: WORKER }, discovery: "eds" }),
  ];
  await scene.service("a", { listeners });
  const clients = ["uid-in-1", "uid-in-2"].map((id) => scene.client({ id }));
  await scene.settle();
  for (const client of clients) client.ask("EDS", ["rtp-cluster", "rtcp-cluster"]);
  await scene.settle();
  const counts = () => clients.map((client) => [client.endpoints("rtp-cluster"), client.endpoints("rtcp-cluster")]);
  expect(counts()).toEqual([[1, 0], [1, 0]]);
  await scene.pod("one", { labels: WORKER, ip: "10.0.0.1" });
  await scene.settle();
  expect(counts()).toEqual([[2, 1], [2, 1]]);
  await scene.remove("Pod", "one");
  await scene.settle();
  expect(counts()).toEqual([[1, 0], [1, 0]]);
});

Deno.test("[op] clients with a stream per type get endpoints on a stream of their own, others on the one of all types", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  await scene.service("a", {
    listeners: [listener("rtp", { port: 2000, to: { selector: WORKER }, discovery: "eds" })],
  });
  const [separate, ads] = [scene.client({ id: "uid-ingress", only: "CDS" }), scene.client({ id: "uid-ingress" })];
  const endpoints = scene.client({ id: "uid-ingress", only: "EDS" });
  endpoints.ask("EDS", ["rtp-cluster"]);
  await scene.settle();
  expect(separate.held.get("CDS rtp-cluster")).toMatchObject({
    eds_cluster_config: {
      eds_config: { api_config_source: { grpc_services: [{ envoy_grpc: { cluster_name: "xds_cluster" } }] } },
    },
  });
  expect(ads.held.get("CDS rtp-cluster")).toMatchObject({ eds_cluster_config: { eds_config: { ads: {} } } });
  expect(endpoints.names("EDS")).toEqual(["rtp-cluster"]);
});

Deno.test("[op] a pod without an Envoy holds up nobody", async () => {
  await using scene = await openScene();
  await scene.pod("absent", { labels: INGRESS });
  await scene.pod("present", { labels: { app: "other" } });
  const client = scene.client({ id: "uid-present" });
  await scene.service("a", { listeners: [rtp()] });
  await scene.service("b", { selector: { app: "other" }, listeners: [rtp()] });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["rtp"]);
  expect(await scene.status("a")).toMatchObject({ pods: 1, nodes: { served: 0, accepted: 0, rejected: 0 } });
});

Deno.test("[op] what Envoys answer is looked at: the status names what is refused, and the rest is served on", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  const refuses = (names: readonly string[]) =>
    names.includes("bad")
      ? "Error adding/updating listener(s) bad: cannot bind '0.0.0.0:2009': Address in use\n"
      : undefined;
  const client = scene.client({ id: "uid-ingress", refuses });
  await scene.service("good", { listeners: [rtp()] });
  await scene.service("bad", { listeners: [listener("bad", { port: 2009, to: { address: "10.1.1.1" } })] });
  await scene.settle();
  expect(await scene.status("good")).toMatchObject({ nodes: { served: 1, accepted: 1, rejected: 0 } });
  expect(await scene.status("bad")).toMatchObject({
    nodes: { served: 1, accepted: 0, rejected: 1 },
    rejections: [{
      client: "uid-ingress",
      resource: `listener "bad"`,
      message: "cannot bind '0.0.0.0:2009': Address in use",
    }],
  });
  expect((await scene.store.events()).map(({ reason }) => reason)).toEqual(["Rejected"]);
  await scene.service("bad", { listeners: [listener("fine", { port: 2010, to: { address: "10.1.1.1" } })] });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["fine", "rtp"]);
  expect(await scene.status("bad")).toMatchObject({ nodes: { served: 1, accepted: 1, rejected: 0 } });
  client.close();
  await scene.settle();
  expect(await scene.status("good")).toMatchObject({ nodes: { served: 0, accepted: 0 } });
});

Deno.test("a listener that is taken is left out of the younger VirtualService, and comes when the older goes", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  const client = scene.client({ id: "uid-ingress" });
  await scene.service("old", { listeners: [rtp()] });
  scene.clock.advance(5_000);
  const young = [
    listener("young", { port: 2000, to: { address: "10.1.1.1" } }),
    listener("own", { port: 2004, to: { address: "10.1.1.1" } }),
  ];
  await scene.service("young", { listeners: young });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["own", "rtp"]);
  const { conditions } = await scene.status("young");
  expect(conditions?.find(({ type }) => type === "Conflict")).toMatchObject({
    status: "True",
    reason: "NameOrPortInUse",
    message: "listeners[0] is left out: UDP port 2000 is taken by VirtualService rtp/old",
  });
  await scene.remove("VirtualService", "old");
  await scene.settle();
  expect(client.names("LDS")).toEqual(["own", "young"]);
  expect((await scene.status("young")).conditions?.find(({ type }) => type === "Conflict")?.status).toBe("False");
});

Deno.test("of 500 VirtualServices on a pod the one that changes travels alone", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  for (let i = 0; i < 500; i++) {
    await scene.service(`s-${i}`, {
      listeners: [listener(`l-${i}`, { port: 10_000 + i, to: { address: "10.1.1.1" } })],
    });
  }
  const client = scene.client({ id: "uid-ingress" });
  await scene.settle();
  expect(client.names("LDS").length).toBe(500);
  client.responses.length = 0;
  await scene.service("s-7", { listeners: [listener("l-7", { port: 10_007, to: { address: "10.1.1.2" } })] });
  await scene.settle();
  expect(client.responses).toEqual(["CDS l-7-cluster"]);
});

Deno.test("a status is written once for what it says, and again only when that changes", async () => {
  await using scene = await openScene();
  await scene.pod("ingress", { labels: INGRESS });
  scene.client({ id: "uid-ingress" });
  await scene.service("a", { listeners: [rtp()] });
  await scene.settle();
  const version = async () =>
    (await scene.store.get({ kind: "VirtualService", namespace: "rtp", name: "a" }))?.metadata.resourceVersion;
  const before = await version();
  scene.controller.leadershipChanged();
  scene.controller.replicasChanged();
  await scene.settle();
  expect(await version()).toBe(before);
});

Deno.test("a replica that does not lead adds what its Envoys say, and the one that leads counts it while that lives", async () => {
  let leading = false;
  const live = new Map([["one", "one-boot"], ["two", "two-boot"]]);
  await using scene = await openScene({ leading: () => leading, replica: "two", live });
  await scene.pod("ingress", { labels: INGRESS });
  const client = scene.client({ id: "uid-ingress" });
  await scene.service("a", { listeners: [rtp()] });
  await scene.settle();
  expect(await scene.status("a")).toEqual({
    replicas: { two: { bootId: "two-boot", generation: 1, served: 1, accepted: 1, rejected: 0 } },
  });
  const other = { replicas: { one: { bootId: "one-boot", generation: 1, served: 4, accepted: 3, rejected: 0 } } };
  await scene.store.updateStatus({ kind: "VirtualService", namespace: "rtp", name: "a" }, other);
  leading = true;
  scene.controller.leadershipChanged();
  await scene.settle();
  expect(await scene.status("a")).toMatchObject({ nodes: { served: 5, accepted: 4, rejected: 0 }, ...other });
  live.delete("one");
  scene.controller.replicasChanged();
  await scene.settle();
  const { nodes, replicas } = await scene.status("a");
  expect([nodes, replicas]).toEqual([{ served: 1, accepted: 1, rejected: 0 }, undefined]);
  client.close();
});

Deno.test("[op] an Envoy whose pod is gone is told so, or keeps what it has, as is asked for", async () => {
  for (const onDelete of ["empty", "keep"] as const) {
    await using scene = await openScene({ onDelete });
    await scene.pod("ingress", { labels: INGRESS });
    await scene.service("a", { listeners: [rtp()] });
    const client = scene.client({ id: "uid-ingress" });
    await scene.settle();
    await scene.remove("Pod", "ingress");
    await scene.settle();
    expect(client.names("LDS")).toEqual(onDelete === "keep" ? ["rtp"] : []);
    await scene.pod("ingress", { labels: INGRESS });
    await scene.settle();
    expect(client.names("LDS")).toEqual(["rtp"]);
  }
});

Deno.test("an Envoy that says what labels it has is served while it is connected, where that is believed", async () => {
  await using scene = await openScene();
  await scene.service("a", { namespace: "default", listeners: [rtp()] });
  const client = scene.client({ id: "edge", labels: INGRESS });
  await scene.settle();
  expect(client.names("LDS")).toEqual(["rtp"]);
  expect(await scene.status("a", "default")).toMatchObject({ pods: 1, nodes: { served: 1, accepted: 1 } });
  client.close();
  await scene.settle();
  expect(await scene.status("a", "default")).toMatchObject({ pods: 0, nodes: { served: 0 } });

  await using strict = await openScene({ trust: { metadata: false, labels: false } });
  await strict.service("a", { namespace: "default", listeners: [rtp()] });
  await strict.pod("ingress", { labels: INGRESS, namespace: "default" });
  const liar = strict.client({ id: "edge", labels: INGRESS, pod: { namespace: "default", name: "ingress" } });
  await strict.settle();
  expect(liar.responses).toEqual([]);
});
