import { expect } from "expect";
import { clusterTest, type ControlPlane, startControlPlane } from "../control_plane/mod.ts";
import { EARLIER_ENVOY_CONFIG, EARLIER_ENVOY_CONFIG_REVISION } from "./earlier_crds.ts";
import { WORST_CASES, type WorstCase } from "./worst_cases.ts";

const API_VERSION = "marin3r.3scale.net/v1alpha1";
const MERGE = "application/merge-patch+json";

clusterTest(
  "objects stored under the laxer CRDs of earlier programs can be edited once ours are applied",
  async (t) => {
    await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
    await cluster.apply([EARLIER_ENVOY_CONFIG, EARLIER_ENVOY_CONFIG_REVISION]);
    await expectServed(cluster);
    const namespace = await cluster.namespace();
    for (const worst of WORST_CASES) await store(cluster, worst, namespace);

    await cluster.applyCrds();
    await expectOursServed(cluster, namespace);

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
      for (const field of ["nodeID", "version"]) {
        await expect(cluster.request("PATCH", revision, { spec: { [field]: "b" } }, MERGE))
          .rejects.toThrow(`${field} cannot be changed`);
      }
    });
  },
);

function pathOf({ kind, name }: WorstCase, namespace: string): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;
}

async function store(cluster: ControlPlane, worst: WorstCase, namespace: string): Promise<void> {
  const { kind, name, spec, status } = worst;
  const path = pathOf(worst, namespace);
  const object = { apiVersion: API_VERSION, kind, metadata: { name }, ...(spec ? { spec } : {}) };
  await cluster.request("POST", `${path.slice(0, path.lastIndexOf("/"))}?fieldValidation=Strict`, object);
  if (status) await cluster.request("PATCH", `${path}/status?fieldValidation=Strict`, { status }, MERGE);
}

/** As a controller would write it. */
function newStatusOf({ kind }: WorstCase): object {
  const condition = {
    type: kind === "EnvoyConfig" ? "CacheOutOfSync" : "RevisionPublished",
    status: "True",
    reason: "Because",
    message: "",
    lastTransitionTime: "2024-11-08T12:00:00Z",
  };
  return {
    status: { conditions: [condition], ...(kind === "EnvoyConfig" ? { cacheState: "InSync" } : { published: true }) },
  };
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
  const names = [EARLIER_ENVOY_CONFIG, EARLIER_ENVOY_CONFIG_REVISION].map(({ metadata }) => `crd/${metadata.name}`);
  const { code, stderr } = await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", ...names]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
}

/** An upgrade of a CRD that is established is served a moment later. */
async function expectOursServed(cluster: ControlPlane, namespace: string): Promise<void> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    const path = `/apis/${API_VERSION}/namespaces/${namespace}/envoyconfigs?dryRun=All`;
    const object = { apiVersion: API_VERSION, kind: "EnvoyConfig", metadata: { name: "probe" } };
    const refused = await cluster.request("POST", path, object).then(() => "", (error: Error) => error.message);
    if (refused.includes("spec must be set")) return;
    if (Date.now() > deadline) throw new Error(`Cannot see our CRD at work: ${refused || "it was admitted"}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
