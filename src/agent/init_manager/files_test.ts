import { expect } from "expect";
import { bootstrapFiles, type InitManagerOptions } from "./files.ts";

const OPTIONS: InitManagerOptions = {
  xdssHost: "marin3r-ds.shop.svc",
  xdssPort: 18000,
  mode: "delta",
  nodeId: undefined,
  cluster: undefined,
  configFile: "/etc/envoy/bootstrap/config.json",
  resourcesPath: "/etc/envoy/bootstrap",
  clientCertificatePath: "/etc/envoy/tls/client",
  caCertificateFile: "/etc/envoy/tls/client/ca.crt",
  caCertificateTimeout: 60_000,
  rtdsResourceName: "runtime",
  adminBindAddress: { kind: "tcp", host: "0.0.0.0", port: 9901 },
  statusBindAddress: undefined,
  readiness: "configured",
  adminAccessLogPath: "/dev/null",
  envoyImage: "envoyproxy/envoy:v1.40.0",
};
const POD = {
  ...{ podName: "edge-1", podNamespace: "shop", podUid: "9b1d", hostName: "node-1" },
  locality: { region: "", zone: "north", subZone: "" },
  ipv6: true,
};

interface Config {
  readonly node: unknown;
  readonly admin: unknown;
  readonly dynamic_resources: Record<string, { readonly initial_fetch_timeout?: string; readonly api_type?: string }>;
  readonly layered_runtime: unknown;
  readonly static_resources: {
    readonly clusters: readonly unknown[];
    readonly listeners?: readonly { readonly address: unknown }[];
  };
}

function configOf(options: Partial<InitManagerOptions>, pod = POD): Config {
  return bootstrapFiles({ ...OPTIONS, ...options }, pod).at(-1)?.document as unknown as Config; // it is written last
}

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
  expect(config).toContain('"verifies_discovery_service":"false"'); // counted by the discovery service
});

Deno.test("the pod is told in the metadata and where it runs, and its id is left to the flags of Envoy", () => {
  expect(configOf({}).node).toEqual({
    metadata: {
      pod_name: "edge-1",
      pod_namespace: "shop",
      pod_uid: "9b1d",
      host_name: "node-1",
      envoy_image: "envoyproxy/envoy:v1.40.0",
      verifies_discovery_service: "true",
    },
    locality: { zone: "north" },
  });
  expect(configOf({ nodeId: "edge", cluster: "front" }).node).toMatchObject({ id: "edge", cluster: "front" });
  const nowhere = configOf({}, { ...POD, locality: { region: "", zone: "", subZone: "" } });
  expect(nowhere.node).not.toHaveProperty("locality");
  const somewhere = configOf({}, { ...POD, locality: { region: "r", zone: "z", subZone: "s" } });
  expect(somewhere.node).toMatchObject({ locality: { region: "r", zone: "z", sub_zone: "s" } });
});

Deno.test("A4: an Envoy is not ready before it has a configuration, however long that takes, unless it need not be", () => {
  const timeouts = (options: Partial<InitManagerOptions>) => {
    const { dynamic_resources: { cds_config: cds, lds_config: lds }, layered_runtime } = configOf(options);
    const runtime = /"initial_fetch_timeout":"(.*?)"/.exec(JSON.stringify(layered_runtime))?.[1];
    return [cds?.initial_fetch_timeout, lds?.initial_fetch_timeout, runtime];
  };
  // Runtime comes before everything else: a server that does not know it must not hold all.
  expect(timeouts({})).toEqual(["0s", "0s", undefined]);
  expect(timeouts({ readiness: "started" })).toEqual(["3s", "3s", "3s"]);
});

Deno.test("S5: all may see the status of an Envoy whose admin interface is closed", () => {
  const admin = { kind: "tcp", host: "127.0.0.1", port: 19901 } as const;
  const status = { kind: "tcp", host: "", port: 9901 } as const;
  const closed = configOf({ adminBindAddress: admin, statusBindAddress: status });
  expect(closed.admin).toMatchObject({ address: { socket_address: { address: "127.0.0.1", port_value: 19901 } } });
  const places = [
    [POD, status, { socket_address: { address: "::", ipv4_compat: true, port_value: 9901 } }],
    [{ ...POD, ipv6: false }, status, { socket_address: { address: "0.0.0.0", port_value: 9901 } }],
    [POD, { ...status, host: "10.0.0.1" }, { socket_address: { address: "10.0.0.1", port_value: 9901 } }],
  ] as const;
  for (const [pod, statusBindAddress, address] of places) {
    const { listeners, clusters } = configOf({ adminBindAddress: admin, statusBindAddress }, pod).static_resources;
    expect(listeners?.map((one) => one.address)).toEqual([address]);
    expect(clusters.map((one) => (one as { name: string }).name)).toEqual(["xds_cluster", "chancery_admin"]);
  }
  expect(configOf({}).static_resources).not.toHaveProperty("listeners");
  expect(JSON.stringify(closed)).toContain("envoy_on_request");
  const started = configOf({ adminBindAddress: admin, statusBindAddress: status, readiness: "started" });
  expect(JSON.stringify(started)).not.toContain("envoy_on_request");
});

Deno.test("an init manager takes state of the world and IPv6", () => {
  expect(configOf({ mode: "sotw" }).dynamic_resources["ads_config"]?.api_type).toBe("GRPC");
  expect(configOf({}).dynamic_resources["ads_config"]?.api_type).toBe("DELTA_GRPC");
  const six = configOf({
    xdssHost: "[fd00::1]",
    caCertificateFile: undefined,
    adminBindAddress: { kind: "tcp", host: "::", port: 9901 },
  });
  expect(JSON.stringify(six.static_resources)).toContain('{"address":"fd00::1","port_value":18000}');
  expect(six.admin).toMatchObject({ address: { socket_address: { address: "::", port_value: 9901 } } });
});

Deno.test("an init manager refuses a server that cannot be meant", () => {
  expect(() => configOf({ xdssHost: "a b" })).toThrow('Cannot read address "a b:18000": the host is no address');
  expect(() => configOf({ xdssPort: 70_000 })).toThrow("a port is 1 to 65535");
});
