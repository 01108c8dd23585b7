import { expect } from "expect";
import fc from "fast-check";
import { BLUEPRINTS, ITEM_TYPES } from "../api/mod.ts";
import { formatFinding } from "../base/mod.ts";
import { envoyRegistry } from "../envoy/mod.ts";
import { admitEnvoyConfig, admitObject } from "./admit.ts";

const registry = envoyRegistry();

function config(...resources: unknown[]) {
  return { metadata: { name: "a" }, spec: { nodeID: "n", resources } };
}

const ROUTE = { type: "route", value: { name: "r" } };
const TWICE = 'spec.resources[1]: route "r" is defined more than once, the last one counts';

Deno.test("W21: admitEnvoyConfig() refuses a duplicate that is introduced, and lets one through that was stored", () => {
  const told = (stored?: unknown) =>
    admitEnvoyConfig(config(ROUTE, ROUTE), { registry, ...(stored === undefined ? {} : { stored }) }).findings
      .filter(({ rule }) => rule === "duplicate").map(formatFinding);
  expect(told()).toEqual([`error: ${TWICE}`]);
  expect(told(config(ROUTE))).toEqual([`error: ${TWICE}`]);
  expect(told(config(ROUTE, { type: "cluster", value: { name: "c" } }, ROUTE))).toEqual([`warning: ${TWICE}`]);
});

Deno.test("admitEnvoyConfig() does not ask for Secrets and slices that come later", () => {
  const secret = { type: "secret", generateFromTlsSecret: "s" };
  const endpoint = {
    type: "endpoint",
    generateFromEndpointSlices: { clusterName: "c", targetPort: "p", selector: {} },
  };
  expect(admitEnvoyConfig(config(secret, endpoint), { registry }).findings.map(formatFinding)).toEqual([
    'warning: spec.resources[0]: secret "s" is not used: no TLS context or filter asks for it',
    'warning: spec.resources[1]: endpoint "c" is not used: no EDS cluster of this EnvoyConfig asks for it',
  ]);
});

Deno.test("admitEnvoyConfig() warns of the whole, and refuses what Envoy always refuses", () => {
  const admit = (staticClusters: string[], ...resources: unknown[]) =>
    admitEnvoyConfig(config(...resources), { registry, staticClusters }).findings.map(formatFinding);
  const tcp = "type.googleapis.com/envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy";
  const filters = [{ name: "tcp", typed_config: { "@type": tcp, stat_prefix: "x", cluster: "far" } }];
  const address = { socket_address: { address: "127.0.0.1", port_value: 1 } };
  const listener = { type: "listener", value: { name: "l", address, filter_chains: [{ filters }] } };
  expect(admit(["far"], listener)).toEqual([]);
  expect(admit([], listener)).toEqual([
    "warning: spec.resources[0].value.filter_chains[0].filters[0].typed_config.cluster: " +
    'cluster "far" is not in this EnvoyConfig; it has to come from the bootstrap or on demand',
  ]);
  const refused = [
    { type: "listener", value: { name: "l", filter_chains: [{ filters }] } },
    { type: "listener", value: { name: "l", address } },
    { type: "cluster", value: { name: "far", type: "EDS" } },
    { type: "cluster", value: { name: "far", type: "STATIC", eds_cluster_config: { eds_config: { ads: {} } } } },
    { type: "cluster", value: { name: "far", type: "EDS", eds_cluster_config: { eds_config: {} } } },
  ];
  for (const item of refused) expect(admit(["far"], item)).toContainEqual(expect.stringMatching(/^error: /));
  // Read once, the answer is the same out of the cache.
  const first = admitEnvoyConfig(config(listener), { registry });
  expect(admitEnvoyConfig(config(listener), { registry, items: first.items }).findings).toEqual(first.findings);
});

Deno.test("W21: admitEnvoyConfig() tells what is wrong with structure and with content in one go, with paths", () => {
  const told = (object: unknown) => admitEnvoyConfig(object, { registry }).findings.map(formatFinding);
  expect(told(config({ type: "cluster" }, { type: "cluster", value: { nme: "x" } }))).toEqual([
    "error: spec.resources[0]: value must be set for type cluster",
    'error: spec.resources[1].value.nme: envoy.config.cluster.v3.Cluster has no field "nme", did you mean "name"?',
    "error: spec.resources[1].value.name: must not be empty",
  ]);
  expect(told(config("no item", { type: "cluster", value: { nme: "x", name: "x" } })).at(-1)).toMatch(
    /^error: spec\.resources\[1\]\.value\.nme: /,
  );
  const timeout = { name: "c", connect_timeout: "-1s" };
  expect(told(config({ type: "cluster", value: timeout }, { type: "cluster", value: { nme: "x" } }))).toHaveLength(3);
});

Deno.test("admitObject() knows what an API server refuses in Secrets and slices, and shows no secret", () => {
  const told = (object: Record<string, unknown> & { kind: string }) =>
    admitObject(Object.assign({ apiVersion: "v1", metadata: { name: "a" } }, object)).map(formatFinding);
  expect(
    told({ kind: "Secret", data: { good: "YQ==\n", none: null, bad: "canary!" }, stringData: { free: "canary!" } }),
  ).toEqual([
    "error: data.bad: must be base64; text goes into stringData",
  ]);
  expect(told({ kind: "EndpointSlice", addressType: "IPv5", endpoints: [{ adresses: [] }] })).toEqual([
    'error: addressType: must be one of "IPv4", "IPv6", "FQDN", did you mean "IPv4"?',
    'warning: endpoints[0].adresses: unknown field "adresses", did you mean "addresses"?',
    "error: endpoints[0]: addresses must be set",
  ]);
  expect(told({ kind: "ConfigMap", data: 5 })).toEqual([]);
});

Deno.test("admitEnvoyConfig() takes any item without throwing, nulls where nothing is set included", () => {
  const scalar = fc.oneof(fc.constant(null), fc.string(), fc.integer(), fc.constant({}), fc.constant([]));
  const selector = fc.oneof(scalar, fc.record({ matchLabels: scalar, matchExpressions: scalar }, { requiredKeys: [] }));
  const slices = fc.record({ clusterName: scalar, targetPort: scalar, selector }, { requiredKeys: [] });
  const opaque = fc.record({ name: fc.string(), key: fc.string(), alias: fc.string() });
  const item = fc.record({
    type: fc.constantFrom(...ITEM_TYPES),
    value: fc.oneof(scalar, fc.record({ name: scalar })),
    generateFromTlsSecret: scalar,
    generateFromOpaqueSecret: fc.oneof(scalar, opaque),
    generateFromEndpointSlices: fc.oneof(scalar, slices),
    blueprint: fc.constantFrom(null, ...BLUEPRINTS),
    alias: scalar,
    routeConfiguration: scalar,
  }, { requiredKeys: ["type"] });
  const texts = fc.array(
    fc.record({ value: fc.oneof(fc.string(), fc.json()), name: scalar }, { requiredKeys: ["value"] }),
  );
  const deprecated = fc.record({ clusters: fc.oneof(scalar, texts), secrets: scalar }, { requiredKeys: [] });
  const spec = fc.oneof(
    fc.record({ nodeID: fc.constant("n"), resources: fc.array(item), envoyResources: fc.constant(null) }),
    fc.record({
      nodeID: fc.constant("n"),
      envoyResources: deprecated,
      serialization: fc.constantFrom(null, "json", "yaml"),
    }),
  );
  fc.assert(
    fc.property(spec, (drawn) => {
      admitEnvoyConfig({ metadata: { name: "a", labels: null }, spec: drawn }, { registry });
    }),
    { numRuns: 300 },
  );
});

Deno.test("admitObject() knows VirtualServices and the pods that they are for", () => {
  const cluster = { name: "xds_cluster", service_discovery: "eds", endpoints: [] };
  const listeners = [{ name: "a", tcp: { port: 1, cluster } }, { name: "b" }];
  const virtualService = { kind: "VirtualService", metadata: { name: "a" }, spec: { selector: { a: "b" }, listeners } };
  expect(admitObject(virtualService, { staticClusters: ["xds_cluster"] }).map(formatFinding)).toEqual([
    "warning: spec.listeners[0].tcp.cluster.endpoints: there are no endpoints, so that whatever comes is dropped",
    'error: spec.listeners[0].tcp.cluster.name: cluster "xds_cluster" is part of the bootstrap, and Envoy ignores another one of that name',
    "error: spec.listeners[1]: exactly one of udp and tcp must be set",
  ]);
  const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" }, status: { podIP: 7 } };
  expect(admitObject(pod).map(formatFinding)).toEqual(["error: status.podIP: must be a string, not a number"]);
});
