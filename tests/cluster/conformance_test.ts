import type { ObjectKey } from "../../src/base/mod.ts";
import type { KubernetesStore } from "../../src/store/kubernetes/mod.ts";
import { testStore } from "../conformance/store.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { applySampleCrd, eventually, openStore, SAMPLE } from "./store_scene.ts";

let prepared: Promise<ControlPlane> | undefined;

/** The kind, and a garbage collector that knows of it: it learns of new kinds every half minute. */
async function prepare(): Promise<ControlPlane> {
  const cluster = await sharedControlPlane();
  await applySampleCrd(cluster);
  await using opened = await openStore(cluster.kubeconfig);
  await untilCollected(opened.store);
  return cluster;
}

async function untilCollected(store: KubernetesStore): Promise<void> {
  const name = `probe-${crypto.randomUUID()}`;
  const sample = (name: string, owner?: { name: string; uid: string }) => ({
    apiVersion: SAMPLE.apiVersion,
    kind: SAMPLE.kind,
    metadata: {
      name,
      namespace: "default",
      ...(owner ? { ownerReferences: [{ apiVersion: SAMPLE.apiVersion, kind: SAMPLE.kind, ...owner }] } : {}),
    },
  });
  const key: ObjectKey = { kind: SAMPLE.kind, namespace: "default", name };
  const { metadata: { uid } } = await store.apply(sample(name), { fieldManager: "probe" });
  await store.apply(sample(`${name}-child`, { name, uid }), { fieldManager: "probe" });
  await store.remove(key);
  const child = { ...key, name: `${name}-child` };
  await eventually(async () => !(await store.get(child)), "the garbage collector knows the kind Sample", 60_000);
}

testStore("Kubernetes store", async () => {
  const { kubeconfig } = await (prepared ??= prepare());
  return await openStore(kubeconfig, { namespaces: ["default"] });
}, clusterTest);
