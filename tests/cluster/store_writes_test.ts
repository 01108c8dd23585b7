import { expect } from "expect";
import { systemClock } from "../../src/base/mod.ts";
import { clusterTest, sharedControlPlane } from "./control_plane/mod.ts";
import { applySampleCrd, eventually, openStore, SAMPLE, Told } from "./store_scene.ts";

const LEASE = "coordination.k8s.io/v1";

clusterTest("what an older program wrote by update is ours once we state it", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  const { store } = opened;
  const owner = await cluster.request("POST", `/api/v1/namespaces/${namespace}/configmaps`, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "owner" },
  }) as { metadata: { uid: string } };
  const ownerReferences = [
    { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid, controller: true },
  ];
  const deployment = (volume: object, args: string[] | undefined) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "old", namespace, labels: { part: "old" }, ownerReferences },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: "old" } },
      template: {
        metadata: { labels: { app: "old" } },
        spec: {
          volumes: [{ name: "tls", ...volume }],
          containers: [{ name: "envoy", image: "envoy", ...(args ? { args } : {}) }],
        },
      },
    },
  });
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await cluster.request("POST", `${path}?fieldManager=manager`, deployment({ secret: { secretName: "s" } }, ["--old"]));
  await cluster.kubectl(["label", "deployment", "old", "-n", namespace, "theirs=kept"]);

  const applied = await store.apply(deployment({ configMap: { name: "c" } }, undefined), { fieldManager: "chancery" });
  const { template } = applied.spec as { template: { spec: { volumes: object[]; containers: { args?: string[] }[] } } };
  expect(template.spec.volumes).toEqual([{ name: "tls", configMap: { name: "c", defaultMode: 420 } }]);
  expect(template.spec.containers[0]!.args).toBeUndefined();
  expect(applied.metadata.labels).toEqual({ part: "old", theirs: "kept" });
  const entries = applied.metadata.managedFields!.filter(({ subresource }) => subresource === undefined);
  const managers = entries.map(({ manager, operation }) => `${operation} ${manager}`).sort();
  expect(managers).toEqual(["Apply chancery", "Update kubectl-label"]);
  const again = await store.apply(deployment({ configMap: { name: "c" } }, undefined), { fieldManager: "chancery" });
  expect(again.metadata.generation).toBe(applied.metadata.generation);
});

clusterTest("what users wrote stays theirs: only an object stated with its controller is taken over", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  const { apiVersion, kind } = SAMPLE;
  const metadata = { name: "a", namespace };
  const path = `/apis/${apiVersion}/namespaces/${namespace}/samples`;
  await cluster.request("POST", `${path}?fieldManager=manager`, {
    apiVersion,
    kind,
    metadata: { ...metadata, finalizers: ["example.com/kept"] },
    spec: { size: 1, more: 2 },
  });
  const object = { apiVersion, kind, metadata: { ...metadata, annotations: { pinned: "yes" } } };
  const applied = await opened.store.apply(object, { fieldManager: "chancery" });
  expect(applied.spec).toEqual({ size: 1, more: 2 });
  const status = { apiVersion, kind, metadata, status: { clients: { one: 1 } } };
  await cluster.request(
    "PATCH",
    `${path}/a/status?fieldManager=manager`,
    { status: { published: true } },
    "application/merge-patch+json",
  );
  const reported = await opened.store.apply(status, { fieldManager: "chancery-clients-one", subresource: "status" });
  expect(reported.status).toEqual({ published: true, clients: { one: 1 } });
  await opened.store.removeFinalizer({ kind, namespace, name: "a" }, "example.com/other");
  await opened.store.remove({ kind, namespace, name: "a" });
  const key = { kind, namespace, name: "a" };
  expect((await opened.store.get(key))?.metadata).toHaveProperty("deletionTimestamp");
  await Promise.all([1, 2, 3].map(() => opened.store.removeFinalizer(key, "example.com/kept")));
  expect(await opened.store.get(key)).toBeUndefined();
  await opened.store.removeFinalizer(key, "example.com/kept");
});

clusterTest("writes that name no version are not lost when others write at the same time", async () => {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  const { apiVersion, kind } = SAMPLE;
  const key = { kind, namespace, name: "a" };
  const apply = (n: number, i: number) =>
    opened.store.apply({ apiVersion, kind, metadata: key, spec: { [`by${n}`]: i } }, { fieldManager: `manager-${n}` });
  await apply(0, 0);
  await Promise.all(Array.from({ length: 8 }, async (_, n) => {
    for (let i = 1; i <= 10; i++) {
      await apply(n, i);
      await opened.store.updateStatus(key, { at: `${n}/${i}` });
    }
  }));
  const { spec } = (await opened.store.get(key))!;
  expect(spec).toEqual(Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`by${n}`, 10])));
});

clusterTest("a kind without a CRD is said, and served once it is there", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  const resource = { apiVersion: "late.chancery.dev/v1", kind: "Late", plural: "lates" };
  await using opened = await openStore(cluster.kubeconfig, { resources: [resource], namespaces: [namespace] });
  const watching = Told.watch(opened.store, "Late", namespace);
  await eventually(() => opened.store.watches()[0]?.problem !== undefined, "the problem is known");
  expect(opened.store.watches()[0]).toMatchObject({ kind: "Late", namespace, state: "listing" });
  expect(opened.store.watches()[0]!.problem).toMatch(
    /^Cannot watch Late in namespace "[^"]+": the API server https:\S+ says: .*\(the kind may not be installed there\)$/,
  );
  await expect(opened.store.get({ kind: "Late", namespace, name: "a" })).rejects.toMatchObject({ code: "not-found" });
  await cluster.apply([{
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "lates.late.chancery.dev" },
    spec: {
      group: "late.chancery.dev",
      scope: "Namespaced",
      names: { kind: "Late", plural: "lates" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  }]);
  using told = await watching;
  expect(told.events).toEqual([]);
  expect(opened.store.watches()[0]!.state).toBe("current");
  expect(await opened.store.get({ kind: "Late", namespace, name: "a" })).toBeUndefined();
});

clusterTest("typed API classes go over the same connection, with the same errors", async () => {
  const { CoordinationV1Api } = await import("@kubernetes/client-node");
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  await using opened = await openStore(cluster.kubeconfig);
  const leases = opened.connection.api(CoordinationV1Api);
  const body = { metadata: { name: "l" }, spec: { holderIdentity: "me" } };
  const created = await leases.createNamespacedLease({ namespace, body });
  expect(created.metadata?.uid).toBeDefined();
  const again = await leases.createNamespacedLease({ namespace, body }).catch((thrown) => thrown);
  expect(again).toMatchObject({ name: "ChanceryError", code: "conflict", status: 409, reason: "AlreadyExists" });
  const { items } = await leases.listNamespacedLease({ namespace });
  expect(items.map(({ spec }) => spec?.holderIdentity)).toEqual(["me"]);
  expect((await opened.store.get({ kind: "Lease", namespace, name: "l" }))!.apiVersion).toBe(LEASE);
});

clusterTest(
  "events are one object per reason, written at most once a minute, however often they happen",
  async () => {
    const cluster = await sharedControlPlane();
    await applySampleCrd(cluster);
    const namespace = await cluster.namespace();
    const offset = { ms: 0 };
    const clock = { ...systemClock, now: () => systemClock.now() + offset.ms };
    await using opened = await openStore(cluster.kubeconfig, {
      clock,
      component: "discovery-service",
      instance: "xds-0",
    });
    const { apiVersion, kind } = SAMPLE;
    const about = { kind, namespace, name: "a" };
    const { metadata: { uid } } = await opened.store.apply({ apiVersion, kind, metadata: about }, {
      fieldManager: "x",
    });
    const record = (reason: string, message: string) =>
      opened.store.record({ about, type: "Warning", reason, message });
    interface Event {
      metadata: { name: string; resourceVersion: string };
      reason: string;
      count: number;
      message: string;
      involvedObject: object;
    }
    const events = async () => {
      const { items } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/events`) as { items: Event[] };
      return items.sort((a, b) => a.reason < b.reason ? -1 : 1);
    };
    for (let i = 1; i <= 50; i++) await record("RolledBack", `bad listener ${i}`);
    await record("Published", "ü".repeat(2000));
    await eventually(async () => (await events()).length === 2, "both reasons are written");
    const [published, rolledBack] = await events() as [Event, Event];
    expect(rolledBack).toMatchObject({
      reason: "RolledBack",
      type: "Warning",
      source: { component: "discovery-service" },
    });
    expect(rolledBack.count).toBe(1);
    expect(rolledBack.involvedObject).toMatchObject({ apiVersion, kind, namespace, name: "a", uid });
    expect(new TextEncoder().encode(published.message).length).toBeLessThanOrEqual(1024);
    offset.ms += 61_000;
    await record("RolledBack", "bad listener 51");
    await eventually(async () => (await events())[1]!.count === 51, "the series is written on");
    expect((await events())[1]).toMatchObject({
      metadata: { name: rolledBack.metadata.name },
      message: "bad listener 51",
    });
    const { stdout } = await cluster.kubectl(["events", "-n", namespace]);
    expect(stdout).toMatch(/\(x51 over .*Warning\s+RolledBack\s+Sample\/a\s+bad listener 51/);
    await cluster.request("DELETE", `/api/v1/namespaces/${namespace}/events/${rolledBack.metadata.name}`);
    offset.ms += 61_000;
    await record("RolledBack", "again");
    await eventually(async () => (await events()).length === 2, "an event that was forgotten there is written anew");
  },
);
