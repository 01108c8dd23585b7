import { expect } from "expect";
import { clusterTest, sharedControlPlane } from "./mod.ts";

clusterTest("namespace() gives an empty namespace, and kubectl() sees it", async () => {
  const cluster = await sharedControlPlane();
  const namespace = await cluster.namespace();
  const { code, stdout } = await cluster.kubectl(["get", "namespace", namespace, "-o", "name"]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: `namespace/${namespace}\n` });
  expect((await cluster.kubectl(["get", "pods", "-n", namespace, "-o", "name"])).stdout).toBe("");
});

clusterTest("applyCrds() serves our kinds, and may be called again", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  await cluster.applyCrds();
  expect((await cluster.kubectl(["get", "ec,ecr", "-n", await cluster.namespace()])).code).toBe(0);
});

clusterTest("the audit log tells who changed what, and the content of our own kinds", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace();
  const spec = { nodeID: "edge", resources: [] };
  const config = {
    apiVersion: "marin3r.3scale.net/v1alpha1",
    kind: "EnvoyConfig",
    metadata: { name: "a", namespace },
    spec,
  };
  await cluster.apply([config]);
  const entries = (await Deno.readTextFile(cluster.auditLog)).trimEnd().split("\n").map((line) => JSON.parse(line));
  const ours = entries.filter(({ objectRef }) => objectRef.namespace === namespace);
  expect(ours.map(({ verb, user, requestObject }) => [verb, user.username, requestObject.spec])).toEqual([
    ["patch", "admin", spec],
  ]);
});
