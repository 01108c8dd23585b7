import { expect } from "expect";
import { KINDS } from "../../../src/api/kinds/mod.ts";
import { tellOutdatedKinds } from "../../../src/app/outdated_kinds/mod.ts";
import { systemClock } from "../../../src/base/mod.ts";
import { connect } from "../../../src/store/kubernetes/mod.ts";
import { createLogger } from "../../../src/telemetry/mod.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest, type ControlPlane, startControlPlane } from "../control_plane/mod.ts";
import { EARLIER_ENVOY_CONFIG, EARLIER_ENVOY_CONFIG_REVISION } from "./earlier_crds.ts";
import { EARLIER_VIRTUAL_SERVICE } from "./earlier_mesh_crd.ts";
import { WORST_CASES, type WorstCase } from "./worst_cases.ts";

const API_VERSION = "marin3r.3scale.net/v1alpha1";
const EARLIER = [EARLIER_ENVOY_CONFIG, EARLIER_ENVOY_CONFIG_REVISION, EARLIER_VIRTUAL_SERVICE];
const MERGE = "application/merge-patch+json";

clusterTest(
  "objects stored under the laxer CRDs of earlier programs can be edited once ours are applied",
  async (t) => {
    await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
    await cluster.apply(EARLIER);
    await expectServed(cluster);
    const namespace = await cluster.namespace();
    for (const worst of WORST_CASES) await store(cluster, worst, namespace);

    expect(await outdated(cluster)).toEqual(["EnvoyConfig", "EnvoyConfigRevision", "VirtualService"]);
    await cluster.applyCrds();
    await expectOursServed(cluster, namespace);
    await eventually(async () => (await outdated(cluster)).length === 0, {
      what: "the API server to publish the schemas of today",
      deadlineMs: 30_000,
    });

    for (const worst of WORST_CASES) {
      const path = pathOf(worst, namespace);
      const patch = (body: object, at = path) => cluster.request("PATCH", `${at}?fieldValidation=Strict`, body, MERGE);
      await t.step(`${worst.name}: a label, a finalizer, the status and a neighbouring field`, async () => {
        await patch({ metadata: { labels: { touched: "yes" } } });
        await patch({ metadata: { finalizers: ["finalizer.marin3r.3scale.net"] } });
        await patch({ metadata: { finalizers: null } });
        await patch(newStatusOf(worst), `${path}/status`);
        await applyReport(cluster, worst, path);
        if (worst.neighbour) await patch({ spec: worst.neighbour });
        const { spec, metadata } = await cluster.request("GET", path) as {
          spec?: object;
          metadata: { labels: object };
        };
        expect(spec).toEqual(worst.spec ? { ...worst.spec, ...worst.neighbour } : undefined);
        expect(metadata.labels).toEqual({ touched: "yes" });
      });
    }

    await t.step("what is new, or newly wrong, is refused", async () => {
      const collection = `/apis/${API_VERSION}/namespaces/${namespace}/envoyconfigs`;
      const create = (spec: object | undefined) =>
        cluster.request("POST", collection, {
          apiVersion: API_VERSION,
          kind: "EnvoyConfig",
          metadata: { name: "new" },
          spec,
        });
      await expect(create(undefined)).rejects.toThrow("spec must be set");
      await expect(create({ nodeID: "", resources: [] })).rejects.toThrow("nodeID must not be empty");
      await expect(create({ nodeID: "x".repeat(1025), resources: [] })).rejects.toThrow("Too long");
      await expect(create({ nodeID: "a" })).rejects.toThrow("exactly one of resources and envoyResources must be set");
      const both = { nodeID: "a", resources: [], envoyResources: {} };
      await expect(create(both)).rejects.toThrow("exactly one of resources and envoyResources must be set");
      await create({ nodeID: "a", resources: [] });
      await expect(cluster.request("PATCH", `${collection}/new`, { spec: { nodeID: "" } }, MERGE))
        .rejects.toThrow("nodeID must not be empty");
      await expect(cluster.request("PATCH", `${collection}/new`, { spec: { rollback: { rejectedPercent: 0 } } }, MERGE))
        .rejects.toThrow("should be greater than or equal to 1");
      const revision = pathOf({ name: "long-revision", kind: "EnvoyConfigRevision" }, namespace);
      const mesh = { name: "bad-listeners", kind: "VirtualService" } as const;
      const change = (listeners: readonly object[]) =>
        cluster.request("PATCH", pathOf(mesh, namespace), { spec: { listeners } }, MERGE);
      for (const [listener, says] of REFUSED_LISTENERS) await expect(change([listener])).rejects.toThrow(says);
      await change([GOOD_LISTENER]);
      for (const field of ["nodeID", "version"]) {
        await expect(cluster.request("PATCH", revision, { spec: { [field]: "b" } }, MERGE))
          .rejects.toThrow(`${field} cannot be changed`);
      }
    });
  },
);

/** Kinds that a program that starts now would say drop what is written. */
async function outdated({ kubeconfig }: ControlPlane): Promise<unknown[]> {
  const kinds: unknown[] = [];
  const log = createLogger({ now: Date.now, write: (line) => void kinds.push(JSON.parse(line).kind), level: "warn" });
  await using connection = await connect({ kubeconfig, context: undefined, env: () => undefined, clock: systemClock });
  await tellOutdatedKinds(KINDS, { connection, log });
  return kinds;
}

function versionOf(kind: WorstCase["kind"]): string {
  return kind === "VirtualService" ? "servicemesh.l7mp.io/v1" : API_VERSION;
}

function pathOf({ kind, name }: WorstCase, namespace: string): string {
  return `/apis/${versionOf(kind)}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
}

async function store(cluster: ControlPlane, worst: WorstCase, namespace: string): Promise<void> {
  const { kind, name, spec, status } = worst;
  const path = pathOf(worst, namespace);
  const object = { apiVersion: versionOf(kind), kind, metadata: { name }, ...(spec ? { spec } : {}) };
  await cluster.request("POST", `${path.slice(0, path.lastIndexOf("/"))}?fieldValidation=Strict`, object);
  if (status) await cluster.request("PATCH", `${path}/status?fieldValidation=Strict`, { status }, MERGE);
}

const GOOD_CLUSTER = { name: "c", service_discovery: "strictdns", hash_key: "", endpoints: [{ name: "", port: 1 }] };
const GOOD_LISTENER = { name: "l", udp: { port: 65_535, cluster: GOOD_CLUSTER } };

function udp(port: number, cluster: object): object {
  return { name: "l", udp: { port, cluster: { ...GOOD_CLUSTER, ...cluster } } };
}

/** Listeners of a VirtualService that are refused when they are new, and in which words. */
const REFUSED_LISTENERS: readonly (readonly [object, string])[] = [
  [{ name: "l" }, "exactly one of udp and tcp must be set"],
  [{ ...GOOD_LISTENER, tcp: GOOD_LISTENER.udp }, "exactly one of udp and tcp must be set"],
  [{ ...GOOD_LISTENER, name: "" }, "spec.listeners[0].name"],
  [{ name: "l", tcp: { port: 1 } }, "spec.listeners[0].tcp.cluster: Required value"],
  [udp(0, {}), "spec.listeners[0].udp.port"],
  [udp(65_536, {}), "spec.listeners[0].udp.port"],
  [udp(1, { service_discovery: "dns" }), "Unsupported value"],
  [udp(1, { hash_key: "k", source_ip: true }), "only one of hash_key and source_ip may be set"],
  [udp(1, { health_check: { interval: 0, protocol: "TCP" } }), "health_check.interval"],
  [udp(1, { health_check: { interval: 500, protocol: "HTTP" } }), "Unsupported value"],
  [udp(1, { endpoints: [{ name: "e", port: 1, host: { selector: {}, address: "a" } }] }), "endpoints[0].host"],
];

/** As a controller would write it. */
function newStatusOf({ kind }: WorstCase): object {
  const condition = {
    type: kind === "EnvoyConfig" ? "CacheOutOfSync" : "RevisionPublished",
    status: "True",
    reason: "Because",
    message: "",
    lastTransitionTime: "2024-11-08T12:00:00Z",
  };
  const more = {
    EnvoyConfig: { cacheState: "InSync" },
    EnvoyConfigRevision: { published: true },
    VirtualService: { pods: 1, nodes: { served: 1, accepted: 0, rejected: 1 } },
  };
  return { status: { conditions: [condition], ...more[kind] } };
}

/** A report of a replica, applied by the replica itself. */
async function applyReport(cluster: ControlPlane, { kind, name }: WorstCase, path: string): Promise<void> {
  if (kind !== "EnvoyConfigRevision") return;
  const counts = { connected: 1, sent: 1, accepted: 1, rejected: 0, refusedData: 0, pending: 0 };
  const status = { clients: { "replica-0": { bootId: "b", publication: "p", ...counts } } };
  const object = { apiVersion: API_VERSION, kind, metadata: { name }, status };
  const query = "fieldManager=chancery-clients-replica-0&fieldValidation=Strict";
  await cluster.request("PATCH", `${path}/status?${query}`, object, "application/apply-patch+yaml");
}

async function expectServed(cluster: ControlPlane): Promise<void> {
  const names = EARLIER.map(({ metadata }) => `crd/${metadata.name}`);
  const { code, stderr } = await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", ...names]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** An upgrade of a CRD that is established is served a moment later. */
async function expectOursServed(cluster: ControlPlane, namespace: string): Promise<void> {
  for (const kind of ["EnvoyConfig", "VirtualService"] as const) {
    const path = pathOf({ name: "", kind }, namespace).slice(0, -1);
    const object = { apiVersion: versionOf(kind), kind, metadata: { name: "probe" } };
    await eventually(async () => {
      const refused = await cluster.request("POST", `${path}?dryRun=All`, object).then(
        () => "",
        (error: Error) => error.message,
      );
      if (!refused.includes("spec must be set")) throw new Error(refused || "it was admitted");
      return true;
    }, { what: `our CRD of ${kind} at work`, deadlineMs: 20_000 });
  }
}
