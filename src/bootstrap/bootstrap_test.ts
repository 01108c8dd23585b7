import { expect } from "expect";
import { BOOTSTRAP, type BootstrapOptions, buildBootstrap, parseAddress } from "./mod.ts";

const PLAIN: BootstrapOptions = { nodeId: "edge", xds: [parseAddress("127.0.0.1:18000")] };

/** The value at a dotted path; `any` would hide misspelt fields, an absent one fails the comparison. */
function at(document: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key], // walking JSON of unknown shape
    document,
  );
}

Deno.test("buildBootstrap() asks for clusters and listeners by delta ADS", () => {
  const { bootstrap, files } = buildBootstrap(PLAIN);
  expect(at(bootstrap, "node")).toEqual({ id: "edge", cluster: "edge" });
  expect(at(bootstrap, "dynamic_resources.ads_config.api_type")).toBe("DELTA_GRPC");
  expect(at(bootstrap, "dynamic_resources.cds_config")).toEqual({ ads: {}, resource_api_version: "V3" });
  expect(at(bootstrap, "dynamic_resources.lds_config")).toEqual({ ads: {}, resource_api_version: "V3" });
  expect(at(bootstrap, "static_resources.clusters.0.type")).toBe("STATIC");
  expect(at(bootstrap, "static_resources.clusters.0.transport_socket")).toBeUndefined();
  expect(at(bootstrap, "admin")).toBeUndefined();
  expect(files).toEqual([]);
});

Deno.test("buildBootstrap() asks by state-of-the-world when told to", () => {
  expect(at(buildBootstrap({ ...PLAIN, mode: "sotw" }).bootstrap, "dynamic_resources.ads_config.api_type")).toBe(
    "GRPC",
  );
});

Deno.test("W9, A6: the bootstrap pings less often than the server's limit of 10 s", () => {
  const protocol = at(buildBootstrap(PLAIN).bootstrap, "static_resources.clusters.0.typed_extension_protocol_options");
  expect(JSON.stringify(protocol)).toContain('"connection_keepalive":{"interval":"30s","timeout":"10s"}');
});

Deno.test("buildBootstrap() makes several addresses endpoints of one cluster", () => {
  const xds = ["a.demo.svc:1", "10.0.0.1:2", "[::1]:3"].map((text) => parseAddress(text));
  const cluster = at(buildBootstrap({ ...PLAIN, xds }).bootstrap, "static_resources.clusters.0");
  expect(at(cluster, "type")).toBe("STRICT_DNS");
  expect(at(cluster, "dns_lookup_family")).toBe("V4_PREFERRED");
  const endpoints = at(cluster, "load_assignment.endpoints.0.lb_endpoints") as unknown[]; // an array by construction
  expect(endpoints.map((endpoint) => at(endpoint, "endpoint.address.socket_address"))).toEqual([
    { address: "a.demo.svc", port_value: 1 },
    { address: "10.0.0.1", port_value: 2 },
    { address: "::1", port_value: 3 },
  ]);
});

Deno.test("buildBootstrap() reaches a server by Unix socket, with no name to resolve", () => {
  const cluster = at(
    buildBootstrap({ ...PLAIN, xds: [parseAddress("unix:/run/x.sock")] }).bootstrap,
    "static_resources.clusters.0",
  );
  expect(at(cluster, "type")).toBe("STATIC");
  expect(at(cluster, "load_assignment.endpoints.0.lb_endpoints.0.endpoint.address")).toEqual({
    pipe: { path: "/run/x.sock" },
  });
});

Deno.test("buildBootstrap() can do without a runtime layer", () => {
  expect(at(buildBootstrap(PLAIN).bootstrap, "layered_runtime.layers.0.name")).toBe("runtime");
  expect(at(buildBootstrap({ ...PLAIN, runtimeLayer: null }).bootstrap, "layered_runtime")).toBeUndefined();
});

Deno.test("S1: the server's certificate is checked against the CA and the name that is dialled", () => {
  const { bootstrap, files } = buildBootstrap({
    ...PLAIN,
    xds: [parseAddress("xds.demo.svc:18000")],
    tls: { dir: "/etc/envoy/tls" },
  });
  const context = at(bootstrap, "static_resources.clusters.0.transport_socket.typed_config");
  expect(at(context, "sni")).toBe("xds.demo.svc");
  const common = at(context, "common_tls_context");
  expect(at(common, "combined_validation_context.default_validation_context")).toEqual({
    match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: "xds.demo.svc" } }],
  });
  expect(at(common, "combined_validation_context.validation_context_sds_secret_config.name")).toBe("xds_trusted_ca");
  expect(files.map((file) => file.path)).toEqual([
    "/etc/envoy/tls/xds_client_certificate.json",
    "/etc/envoy/tls/xds_trusted_ca.json",
  ]);
});

Deno.test("buildBootstrap() makes the certificate files watched, the SDS files apart when told to", () => {
  const { bootstrap, files } = buildBootstrap({ ...PLAIN, tls: { dir: "/tls", sdsDir: "/run/sds" } });
  expect(files.map((file) => file.path)).toEqual([
    "/run/sds/xds_client_certificate.json",
    "/run/sds/xds_trusted_ca.json",
  ]);
  expect(at(files[0]?.document, "resources.0.tls_certificate")).toEqual({
    certificate_chain: { filename: "/tls/tls.crt" },
    private_key: { filename: "/tls/tls.key" },
    watched_directory: { path: "/tls" },
  });
  const sds = at(
    bootstrap,
    "static_resources.clusters.0.transport_socket.typed_config.common_tls_context.tls_certificate_sds_secret_configs.0",
  );
  expect(at(sds, "sds_config.path_config_source")).toEqual({
    path: "/run/sds/xds_client_certificate.json",
    watched_directory: { path: "/run/sds" },
  });
});

Deno.test("buildBootstrap() matches an IP address as an address and sends no SNI for it", () => {
  const context = at(
    buildBootstrap({ ...PLAIN, tls: { dir: "/tls" } }).bootstrap,
    "static_resources.clusters.0.transport_socket.typed_config",
  );
  expect(at(context, "sni")).toBeUndefined();
  expect(
    at(
      context,
      "common_tls_context.combined_validation_context.default_validation_context.match_typed_subject_alt_names",
    ),
  ).toEqual([{ san_type: "IP_ADDRESS", matcher: { exact: "127.0.0.1" } }]);
});

Deno.test("buildBootstrap() refuses what Envoy would refuse or could not verify", () => {
  expect(() => buildBootstrap({ ...PLAIN, nodeId: "" })).toThrow("the node id is empty");
  expect(() => buildBootstrap({ ...PLAIN, xds: [] })).toThrow("no xDS address is given");
  const unix = parseAddress("unix:/x");
  expect(() => buildBootstrap({ ...PLAIN, xds: [unix, parseAddress("a:1")] })).toThrow(
    "both DNS names and Unix sockets",
  );
  expect(() => buildBootstrap({ ...PLAIN, xds: [unix], tls: { dir: "/t" } })).toThrow(
    'Cannot verify the server behind "unix:/x": its certificate\'s name must be given',
  );
  expect(buildBootstrap({ ...PLAIN, xds: [unix], tls: { dir: "/t", serverName: "xds" } }).files.length).toBe(2);
});

Deno.test("I8: BOOTSTRAP keeps the reconnect back-off well under 5 s", () => {
  expect(parseFloat(BOOTSTRAP.reconnect.max)).toBeLessThan(5);
});
