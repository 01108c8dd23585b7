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
