/** An object that an earlier CRD admitted although nothing good could come of it. */
export interface WorstCase {
  readonly name: string;
  readonly kind: "EnvoyConfig" | "EnvoyConfigRevision" | "VirtualService";
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
  /** A change of the spec beside what is wrong: a JSON merge patch. Absent where the spec holds nothing else. */
  readonly neighbour?: Readonly<Record<string, unknown>>;
}

const LONG = "x".repeat(3000);
const CLUSTER = { type: "cluster", value: { name: "a" } };

/** Every item that a rule of ours refuses, and names that are longer than Kubernetes has them. */
const BAD_ITEMS = [
  { type: "listener" },
  { type: "secret", value: { name: "a" } },
  { type: "secret", generateFromTlsSecret: LONG, blueprint: "validationContext" },
  { type: "secret", generateFromTlsSecret: "", generateFromOpaqueSecret: { name: "", key: "", alias: "" } },
  { type: "secret", generateFromOpaqueSecret: { name: LONG, key: LONG, alias: LONG } },
  { type: "runtime", value: {}, blueprint: "tlsCertificate" },
  { type: "cluster", value: { name: "a", anything: [1, null, { deep: true }] } },
  {
    type: "endpoint",
    value: {},
    generateFromEndpointSlices: {
      selector: { matchExpressions: [{ key: "", operator: "Sometimes", values: [] }] },
      clusterName: "",
      targetPort: "",
    },
  },
];

/** As releases wrote them that knew no bounds: without words, without a time, twice. */
const BAD_CONDITIONS = [
  { type: "RollbackFailed", status: "True" },
  { type: "RollbackFailed", status: "Maybe", reason: "", message: "" },
  { type: "", status: "True", reason: LONG, message: "y".repeat(40_000) },
];

/** What Envoy never took, and what the original could not do; each breaks a rule of ours. */
const BAD_LISTENERS = [
  { name: "neither" },
  { name: "", udp: { port: 0, cluster: { name: "", service_discovery: "eds", hash_key: "", endpoints: [] } } },
  { name: LONG, udp: { port: -1, cluster: { name: LONG, service_discovery: "eds", hash_key: LONG, endpoints: [] } } },
  {
    name: "both",
    tcp: { port: 70_000 },
    udp: {
      port: 1,
      cluster: {
        name: "c",
        service_discovery: "strictdns",
        hash_key: "k",
        health_check: { interval: 0, protocol: "TCP" },
        endpoints: [{ name: "", port: 0 }, { name: "e", host: {}, port: 1, health_check_port: -1 }, {
          name: "long",
          host: { address: LONG },
          port: 1,
        }],
      },
    },
  },
];

export const WORST_CASES: readonly WorstCase[] = [
  { name: "no-spec-mesh", kind: "VirtualService" },
  { name: "no-listeners", kind: "VirtualService", spec: { selector: {} }, neighbour: { selector: { app: "worker" } } },
  {
    name: "bad-listeners",
    kind: "VirtualService",
    spec: { selector: { "no label": LONG }, listeners: BAD_LISTENERS },
    neighbour: { selector: { "no label": LONG, app: "worker" } },
  },
  { name: "no-spec", kind: "EnvoyConfig" },
  {
    name: "empty-node-id",
    kind: "EnvoyConfig",
    spec: { nodeID: "", resources: [] },
    neighbour: { resources: [CLUSTER] },
  },
  {
    name: "long-node-id",
    kind: "EnvoyConfig",
    spec: { nodeID: LONG, resources: [] },
    neighbour: { resources: [CLUSTER] },
  },
  {
    name: "neither-form",
    kind: "EnvoyConfig",
    spec: { nodeID: "a" },
    neighbour: { rollback: { rejectedPercent: 50 } },
  },
  {
    name: "both-forms",
    kind: "EnvoyConfig",
    spec: { nodeID: "a", resources: BAD_ITEMS, envoyResources: { secrets: [{ name: "", ref: { namespace: LONG } }] } },
    neighbour: { resources: [...BAD_ITEMS, CLUSTER] },
  },
  {
    name: "texts",
    kind: "EnvoyConfig",
    spec: {
      nodeID: "a",
      serialization: "yaml",
      envoyResources: {
        clusters: [{ value: "}{" }],
        listeners: [{ name: LONG, value: "" }],
        secrets: [{ name: LONG }],
      },
    },
    status: {
      cacheState: "whatever",
      publishedVersion: "",
      revisions: [{ version: "", ref: {} }],
      conditions: BAD_CONDITIONS,
    },
    neighbour: { serialization: "json" },
  },
  {
    name: "empty-revision",
    kind: "EnvoyConfigRevision",
    spec: { nodeID: "", version: "", serialization: "b64json", envoyResources: {} },
    status: { conditions: BAD_CONDITIONS },
    neighbour: { envoyAPI: "v3" },
  },
  { name: "no-spec-revision", kind: "EnvoyConfigRevision" },
  {
    name: "long-revision",
    kind: "EnvoyConfigRevision",
    spec: { nodeID: LONG, version: LONG, resources: BAD_ITEMS },
    status: { published: true, tainted: true, providesVersions: { clusters: LONG, secrets: "" } },
    neighbour: { resources: [...BAD_ITEMS, CLUSTER] },
  },
];
