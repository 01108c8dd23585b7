import { expect } from "expect";
import { compileSpec } from "../../snapshot/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import { ManualClock } from "../../base/mod.ts";
import { nodeIdLabel, revisionName, revisionObject } from "./revision_object.ts";

const NAMES = [
  { nodeId: "shop-edge", label: "shop-edge", name: "shop-edge-v3-abc" },
  { nodeId: "shop.edge", label: "shop.edge", name: "shop.edge-v3-abc" },
  { nodeId: "Shop_Edge", label: "Shop_Edge", name: /^shop-edge-[a-z2-7]{8}-v3-abc$/ },
  { nodeId: "a/b c", label: /^a-b-c-[a-z2-7]{8}$/, name: /^a-b-c-[a-z2-7]{8}-v3-abc$/ },
  { nodeId: "~~", label: /^node-[a-z2-7]{8}$/, name: /^node-[a-z2-7]{8}-v3-abc$/ },
  { nodeId: "ümläut", label: /^ml-ut-[a-z2-7]{8}$/, name: /^ml-ut-[a-z2-7]{8}-v3-abc$/ },
  { nodeId: "x".repeat(64), label: /^x{50}-[a-z2-7]{8}$/, name: /^x{50}-[a-z2-7]{8}-v3-abc$/ },
  { nodeId: `${"y".repeat(49)}--z`, label: `${"y".repeat(49)}--z`, name: `${"y".repeat(49)}--z-v3-abc` },
];

for (const { nodeId, label, name } of NAMES) {
  Deno.test(`the revision of node id ${JSON.stringify(nodeId.slice(0, 12))} has a legal name and label`, async () => {
    expect(nodeIdLabel(nodeId)).toMatch(label);
    expect(revisionName(nodeId, "abc")).toMatch(name);
    // The store refuses what Kubernetes would refuse.
    await using store = openMemoryStore({ clock: new ManualClock() });
    const owner = await store.apply({
      apiVersion: "marin3r.3scale.net/v1alpha1",
      kind: "EnvoyConfig",
      metadata: { name: "shop", namespace: "demo" },
      spec: {},
    }, { fieldManager: "test" });
    const spec = compileSpec({ nodeID: nodeId, resources: [{ type: "route", value: { name: "r" } }] }, "demo");
    const { metadata, ...rest } = await store.apply(revisionObject(owner, spec), { fieldManager: "test" });
    expect(rest["spec"]).toEqual({
      nodeID: nodeId,
      envoyAPI: "v3",
      version: spec.version,
      resources: [{ type: "route", value: { name: "r" } }],
    });
    expect(metadata.labels).toEqual({
      "marin3r.3scale.net/node-id": nodeIdLabel(nodeId),
      "marin3r.3scale.net/config-version": spec.version,
      "marin3r.3scale.net/envoy-api": "v3",
    });
    expect(metadata.ownerReferences).toMatchObject([{ kind: "EnvoyConfig", name: "shop", controller: true }]);
  });
}

Deno.test("node ids that differ in nothing but odd characters have different names", () => {
  expect(revisionName("a/b", "abc")).not.toBe(revisionName("a b", "abc"));
  expect(nodeIdLabel("a/b")).not.toBe(nodeIdLabel("a b"));
});
