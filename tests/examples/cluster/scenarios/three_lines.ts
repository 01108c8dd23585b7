import { expect } from "expect";
import { isReady } from "../../../cluster/node/scene.ts";
import type { Example } from "../example.ts";

const FILE = new URL("../../../../manifests/examples/three-lines/discovery_service.yaml", import.meta.url);

/** A DiscoveryService of three lines becomes two pods that are ready, and everything that they need. */
export async function threeLines(example: Example): Promise<void> {
  const lines = (await Deno.readTextFile(FILE)).trim().split("\n");
  expect(lines.filter((line) => !line.startsWith("#"))).toHaveLength(3);
  await example.run("kubectl apply -f manifests/examples/three-lines/discovery_service.yaml");
  await example.run("kubectl wait discoveryservice/discoveryservice --for=condition=Ready --timeout=5m");
  const pods = await example.pods("app.kubernetes.io/instance=discoveryservice");
  expect(pods.map((pod) => [/^marin3r-discoveryservice-/.test(pod.metadata.name), isReady(pod)])).toEqual([
    [true, true],
    [true, true],
  ]);
  const listed = await example.run("kubectl get pods,services,dsc -l app.kubernetes.io/instance=discoveryservice");
  const made = [
    "service/marin3r-discoveryservice",
    ...["marin3r-ca-cert-discoveryservice", "marin3r-server-cert-discoveryservice", "envoy-sidecar-client-cert"]
      .map((name) => `discoveryservicecertificate.operator.marin3r.3scale.net/${name}`),
  ];
  for (const name of made) expect(listed).toContain(name);
}
