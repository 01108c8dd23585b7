import { expect } from "expect";
import { bootstrapFiles, type InitManagerOptions } from "./files.ts";

const OPTIONS: InitManagerOptions = {
  xdssHost: "marin3r-ds.shop.svc",
  xdssPort: 18000,
  nodeId: undefined,
  cluster: undefined,
  configFile: "/etc/envoy/bootstrap/config.json",
  resourcesPath: "/etc/envoy/bootstrap",
  clientCertificatePath: "/etc/envoy/tls/client",
  caCertificateFile: "/etc/envoy/tls/client/ca.crt",
  rtdsResourceName: "runtime",
  adminBindAddress: { kind: "tcp", host: "0.0.0.0", port: 9901 },
  adminAccessLogPath: "/dev/null",
  envoyImage: "envoyproxy/envoy:v1.40.0",
};
const POD = { podName: "edge-1", podNamespace: "shop", hostName: "node-1" };

Deno.test("S1: the server is verified by the given file and by the name that is dialled", () => {
  const [client, trusted, config] = bootstrapFiles(OPTIONS, POD);
  expect([client, trusted, config].map((file) => file?.path)).toEqual([
    "/etc/envoy/bootstrap/xds_client_certificate.json",
    "/etc/envoy/bootstrap/xds_trusted_ca.json",
    "/etc/envoy/bootstrap/config.json",
  ]);
  expect(JSON.stringify(trusted?.document)).toContain('"filename":"/etc/envoy/tls/client/ca.crt"');
  expect(JSON.stringify(config?.document)).toContain('{"san_type":"DNS","matcher":{"exact":"marin3r-ds.shop.svc"}}');
});

Deno.test("without a file to verify the server by it is not verified, and the client shows its certificate all the same", () => {
  const files = bootstrapFiles({ ...OPTIONS, caCertificateFile: undefined }, POD);
  expect(files.map(({ path }) => path.split("/").at(-1))).toEqual(["xds_client_certificate.json", "config.json"]);
  const config = JSON.stringify(files.at(-1)?.document);
  expect(config).toContain("xds_client_certificate");
  expect(config).not.toContain("validation_context");
});

Deno.test("the pod is told in the metadata, and its id is left to the flags of Envoy", () => {
  const config = bootstrapFiles(OPTIONS, POD).at(-1)?.document as { node: unknown };
  expect(config.node).toEqual({
    metadata: {
      pod_name: "edge-1",
      pod_namespace: "shop",
      host_name: "node-1",
      envoy_image: "envoyproxy/envoy:v1.40.0",
    },
  });
  const named = bootstrapFiles({ ...OPTIONS, nodeId: "edge", cluster: "front" }, POD).at(-1)?.document;
  expect((named as { node: unknown }).node).toMatchObject({ id: "edge", cluster: "front" });
});

Deno.test("A4: an Envoy is not ready before it has a configuration, however long that takes", () => {
  const config = bootstrapFiles(OPTIONS, POD).at(-1)?.document as {
    dynamic_resources: Record<string, { initial_fetch_timeout?: string }>;
  };
  const { cds_config: cds, lds_config: lds } = config.dynamic_resources;
  expect([cds?.initial_fetch_timeout, lds?.initial_fetch_timeout]).toEqual(["0s", "0s"]);
});
