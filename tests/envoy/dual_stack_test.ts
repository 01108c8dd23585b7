import { expect } from "expect";
import {
  edsCluster,
  endpointSlice,
  envoyConfig,
  freePort,
  httpGet,
  LINKS,
  listener,
  startWorld,
} from "./harness/mod.ts";

Deno.test("W20: a dual-stack pod is one endpoint, and Envoy reaches it by IPv6 where IPv4 does not answer", async () => {
  await using six = Deno.serve({ hostname: "::1", port: 0, onListen: () => {} }, () => new Response("by IPv6"));
  const port = freePort();
  const target = { targetRef: { kind: "Pod", name: "pod", uid: "1" } };
  const [four, other] = [endpointSlice("api", freePort(), []), endpointSlice("api", six.addr.port, [])];
  const generateFromEndpointSlices = {
    clusterName: "api",
    targetPort: "http",
    selector: { matchLabels: { "kubernetes.io/service-name": "api" } },
  };
  await using world = await startWorld(LINKS[0]!, {
    files: {
      "edge.yaml": [envoyConfig("edge", [
        edsCluster("api"),
        { type: "endpoint", generateFromEndpointSlices },
        listener("in", { port, routes: { cluster: "api" } }),
      ])],
      "slices.yaml": [
        { ...four, endpoints: [{ addresses: ["127.0.0.1"], conditions: { ready: true }, ...target }] },
        {
          ...other,
          metadata: { ...other.metadata as Record<string, unknown>, name: "api-2" }, // an object of the harness
          addressType: "IPv6",
          endpoints: [{ addresses: ["::1"], conditions: { ready: true }, ...target }],
        },
      ],
    },
  });
  await world.wait("the pod to answer", async () => (await httpGet({ port })).body === "by IPv6");
  expect(await world.envoy.stat("cluster.api.membership_total")).toBe(1);
});
