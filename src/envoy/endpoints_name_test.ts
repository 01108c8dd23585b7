import { expect } from "expect";
import { endpointsNameOf, envoyRegistry, readMessage } from "./mod.ts";

function nameOf(cluster: Record<string, unknown>): string | undefined {
  const { bytes } = readMessage(envoyRegistry(), "envoy.config.cluster.v3.Cluster", cluster, { rules: false });
  return endpointsNameOf(bytes!);
}

Deno.test("endpointsNameOf() gives the name by which a cluster asks EDS", () => {
  const ads = { ads: {}, resource_api_version: "V3" };
  expect(nameOf({ name: "a", type: "EDS", eds_cluster_config: { eds_config: ads } })).toBe("a");
  expect(nameOf({ name: "a", type: "EDS", eds_cluster_config: { eds_config: ads, service_name: "b" } })).toBe("b");
  expect(nameOf({ name: "a", type: "EDS", eds_cluster_config: { eds_config: { self: {} } } })).toBe("a");
  const grpc = { api_config_source: { api_type: "GRPC" } };
  expect(nameOf({ name: "a", type: "EDS", eds_cluster_config: { eds_config: grpc } })).toBe("a");
});

Deno.test("endpointsNameOf() gives nothing for clusters that ask nobody", () => {
  const file = { path_config_source: { path: "/eds.yaml" } };
  expect(nameOf({ name: "a", type: "EDS", eds_cluster_config: { eds_config: file } })).toBeUndefined();
  expect(nameOf({ name: "a", type: "EDS" })).toBeUndefined();
  expect(nameOf({ name: "a", type: "STATIC", eds_cluster_config: { eds_config: { ads: {} } } })).toBeUndefined();
  expect(nameOf({ name: "a" })).toBeUndefined();
  expect(endpointsNameOf(new Uint8Array([10, 200]))).toBeUndefined();
});
