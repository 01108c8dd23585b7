import { expect } from "expect";
import type { ApplyObject } from "../../store/mod.ts";
import { CONFIG, Scene, spec } from "./testing/scene.ts";

/** A revision as an older program wrote it: other hash, its finalizer, the deprecated form. */
function oldRevision(version: string, uid: string): ApplyObject {
  return {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfigRevision",
    metadata: {
      name: `edge-v3-${version}`,
      namespace: CONFIG.namespace,
      ownerReferences: [{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", name: CONFIG.name, uid }],
    },
    spec: { nodeID: "edge", version, envoyAPI: "v3", resources: [{ type: "route", value: { name: version } }] },
  };
}

Deno.test("W17: a taint that a person takes away is gone, and the version is published again", async () => {
  await using scene = new Scene();
  await scene.start();
  await scene.apply(spec("a"));
  await scene.connect(1);
  await scene.answer(["accepts"]);
  await scene.apply(spec("b"));
  await scene.answer(["refuses"]);
  expect(await scene.status()).toMatchObject({ cacheState: "Rollback" });
  const tainted = (await scene.revisions()).find(({ status }) => status.tainted)!;
  const { conditions = [], ...rest } = tainted.status;
  const cleared = { ...rest, conditions: conditions.filter(({ type }) => type !== "RevisionTainted") };
  const { kind, metadata: { namespace, name } } = tainted.object;
  await scene.store.updateStatus({ kind, namespace, name }, cleared);
  await scene.settle();
  expect(await scene.status()).toMatchObject({ cacheState: "InSync", publishedVersion: tainted.version });
  expect((await scene.revisions()).find(({ version }) => version === tainted.version)?.status.tainted).toBe(false);
});

Deno.test("a revision that is deleted by hand is made again when it is the desired one", async () => {
  await using scene = new Scene();
  await scene.start();
  await scene.apply(spec("a"));
  const [revision] = await scene.revisions();
  const { kind, metadata: { namespace, name } } = revision!.object;
  await scene.store.remove({ kind, namespace, name });
  await scene.settle();
  const [again] = await scene.revisions();
  expect(again?.version).toBe(revision?.version);
  expect(again?.status.published).toBe(true);
  expect(scene.published).toEqual([revision?.version]); // nobody was sent anything
});

Deno.test("revisions of an older program are gone back to, and age out", async () => {
  await using scene = new Scene();
  await scene.start();
  await scene.apply(spec("a"));
  const { uid } = (await scene.config())!.metadata;
  await scene.connect(1);
  scene.clock.advance(60_000);
  await scene.store.apply(oldRevision("85cdf4df4", uid), { fieldManager: "older" });
  await scene.settle();
  await scene.answer(["refuses"]);
  expect(scene.serving).toBe("85cdf4df4-r1");
  await scene.answer(["accepts"]);
  await scene.connect(0);
  for (let n = 0; n < 12; n++) await scene.apply(spec(`v${n}`));
  expect((await scene.revisions()).map(({ version }) => version)).not.toContain("85cdf4df4");
  expect(await scene.revisions()).toHaveLength(10);
});

Deno.test("W25: a changed node id leaves no revision of the old one behind", async () => {
  await using scene = new Scene();
  await scene.start();
  await scene.apply(spec("a"));
  await scene.apply(spec("b"));
  expect(await scene.revisions()).toHaveLength(2);
  await scene.apply({ ...spec("b"), nodeID: "other" });
  const left = (await scene.revisions()).map(({ object }) => (object["spec"] as { nodeID: string }).nodeID); // ours
  expect(left).toEqual(["other"]);
});

Deno.test("W3: an EnvoyConfig that is served no more loses the mark of its revision, and gets it back", async () => {
  await using scene = new Scene();
  await scene.start();
  const older = { apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig" };
  const metadata = { namespace: CONFIG.namespace, name: "older" };
  await scene.store.apply({ ...older, metadata, spec: { ...spec("x"), nodeID: "elsewhere" } }, {
    fieldManager: "user",
  });
  scene.clock.advance(5000);
  await scene.apply(spec("a"));
  const marks = async () =>
    Object.fromEntries((await scene.revisions()).map(({ object, status }) => {
      const { nodeID, resources } = object["spec"] as { nodeID: string; resources: { value: { name: string } }[] }; // ours
      return [`${nodeID} ${resources[0]?.value.name}`, status.published];
    }));
  expect(await marks()).toEqual({ "elsewhere x": true, "edge a": true });
  // The older one comes to the same node id and takes it over.
  await scene.store.apply({ ...older, metadata, spec: spec("x") }, { fieldManager: "user" });
  await scene.settle();
  expect(await marks()).toEqual({ "edge x": true, "edge a": false });
  expect((await scene.status()).conditions?.find(({ type }) => type === "Conflict")?.reason).toBe("NodeIdInUse");
  await scene.store.remove({ kind: "EnvoyConfig", ...metadata });
  await scene.settle();
  expect(await marks()).toEqual({ "edge a": true });
  expect(await scene.status()).toMatchObject({ cacheState: "InSync" });
});
