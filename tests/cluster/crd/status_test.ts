import { expect } from "expect";
import { CONFIG, Scene, spec } from "../../../src/reconcile/envoy_config/testing/scene.ts";
import { pin, retry } from "../../../src/reconcile/envoy_config/actions.ts";
import type { StoredObject } from "../../../src/store/mod.ts";
import { clusterTest, sharedControlPlane } from "../control_plane/mod.ts";

clusterTest("the API server takes every status that the controller writes, and keeps all of it", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace();
  const stored = await statusesOfAStory();
  const fields = new Set<string>();
  for (const [index, object] of stored.entries()) {
    const { apiVersion, kind, spec, status } = object;
    const collection = `/apis/${apiVersion}/namespaces/${namespace}/${kind.toLowerCase()}s`;
    const name = `object-${index}`;
    await cluster.request("POST", `${collection}?fieldValidation=Strict`, {
      apiVersion,
      kind,
      metadata: { name },
      spec,
    });
    const patch = [{ op: "add", path: "/status", value: status }];
    const path = `${collection}/${name}`;
    await cluster.request("PATCH", `${path}/status?fieldValidation=Strict`, patch, "application/json-patch+json");
    const kept = await cluster.request("GET", path) as { spec: unknown; status: unknown };
    expect(kept.spec).toEqual(spec);
    expect(kept.status).toEqual(status);
    for (const field of Object.keys(status as object)) fields.add(`${kind}.${field}`);
  }
  // A story that tells too little would prove too little.
  expect([...fields].sort()).toEqual(expect.arrayContaining([
    ...[
      "acknowledgedVersion",
      "cacheState",
      "clients",
      "conditions",
      "desiredVersion",
      "observedGeneration",
      "observedRetry",
    ]
      .map((field) => `EnvoyConfig.${field}`),
    ...["pin", "publication", "publishedVersion", "revisions", "rollbackCount", "rollbacks"]
      .map((field) => `EnvoyConfig.${field}`),
    ...["clients", "conditions", "lastPublishedAt", "providesVersions", "published", "tainted"]
      .map((field) => `EnvoyConfigRevision.${field}`),
  ]));
});

/** Every different status of a life with acceptance, refusal, rollback, a pin, a retry, and an unreadable spec. */
async function statusesOfAStory(): Promise<StoredObject[]> {
  await using scene = new Scene();
  await scene.start();
  const seen = new Map<string, StoredObject>();
  const look = async () => {
    for (const kind of ["EnvoyConfig", "EnvoyConfigRevision"]) {
      for (const object of (await scene.store.list(kind)).items) {
        if (object.status !== undefined) seen.set(JSON.stringify([kind, object.status]), object);
      }
    }
  };
  const now = () => ({ key: CONFIG, now: scene.clock.now() });
  const steps: readonly (() => Promise<unknown>)[] = [
    () => scene.connect(3),
    () => scene.apply(spec("a")),
    () => scene.answer(["accepts", "accepts", "accepts"]),
    () => scene.wait(3000),
    () => scene.apply(spec("b")),
    () => scene.answer(["refuses", "accepts", "refuses-data"]),
    () => scene.wait(15_000),
    () => scene.apply(spec("c")),
    () => scene.answer(["refuses", "refuses", "refuses"]),
    () => scene.wait(3000),
    () => retry(scene.store, now()),
    () => scene.answer(["refuses", "refuses", "refuses"]),
    () => scene.wait(15_000),
    async () => pin(scene.store, { ...now(), version: (await scene.revisions())[0]!.version }),
    () => scene.wait(3000),
    () => scene.apply({ nodeID: "edge", resources: [{ type: "route", value: { name: 7 } }] }),
    () => scene.wait(3000),
  ];
  for (const step of steps) {
    await step();
    await scene.settle();
    await look();
  }
  return [...seen.values()];
}
