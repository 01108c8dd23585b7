import { expect } from "expect";
import { clusterTest, type ControlPlane, sharedControlPlane } from "../control_plane/mod.ts";

const API_VERSION = "marin3r.3scale.net/v1alpha1";
const CRD_FOLDER = new URL("../../../manifests/crd/", import.meta.url);
const AT = "2024-11-08T12:00:00Z";

clusterTest("kubectl get ec prints the columns of the specification", async () => {
  const { cluster, namespace } = await place();
  await create(cluster, namespace, "EnvoyConfig", {
    spec: { nodeID: "shop-edge", envoyAPI: "v3", resources: [] },
    status: { desiredVersion: "aaaa", publishedVersion: "bbbb", cacheState: "Rollback" },
  });
  expect(await table(cluster, ["get", "ec", "-n", namespace])).toEqual([
    ["NAME", "NODE ID", "ENVOY API", "DESIRED VERSION", "PUBLISHED VERSION", "CACHE STATE"],
    ["shop", "shop-edge", "v3", "aaaa", "bbbb", "Rollback"],
  ]);
});

clusterTest("kubectl get ecr prints the columns of the specification, times as they are written", async () => {
  const { cluster, namespace } = await place();
  const created = await create(cluster, namespace, "EnvoyConfigRevision", {
    spec: { nodeID: "shop-edge", envoyAPI: "v3", version: "aaaa", resources: [] },
    status: { published: true, lastPublishedAt: AT, tainted: false },
  });
  expect(await table(cluster, ["get", "ecr", "-n", namespace])).toEqual([
    ["NAME", "NODE ID", "ENVOY API", "VERSION", "PUBLISHED", "CREATED AT", "LAST PUBLISHED AT", "TAINTED"],
    ["shop", "shop-edge", "v3", "aaaa", "true", created, AT, "false"],
  ]);
});

clusterTest("kubectl explain tells what each field of our kinds means", async () => {
  const { cluster } = await place();
  const explain = async (...args: string[]) => (await cluster.kubectl(["explain", ...args])).stdout;
  const spec = await explain("ec.spec");
  for (const words of ["nodeID\t<string> -required-", "The node.id of the Envoys that shall get this", "enum: v3"]) {
    expect(spec).toContain(words);
  }
  expect(await explain("ec.spec.resources.blueprint")).toContain("validationContext (from ca.crt");
  expect(await explain("ecr.status.clients")).toContain("by replica of the discovery service");
});

clusterTest("the API server has nothing to complain about in any of our CRDs, and none is large", async () => {
  const { cluster } = await place();
  let seen = 0;
  for await (const { name } of Deno.readDir(CRD_FOLDER)) {
    seen++;
    // What kubectl apply without --server-side copies into an annotation must stay below this.
    expect((await Deno.stat(new URL(name, CRD_FOLDER))).size).toBeLessThan(256 * 1024);
    const [group, plural] = name.replace(/\.yaml$/, "").split("_");
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${plural}.${group}`;
    const crd = await cluster.request("GET", path) as { status: { conditions: { type: string; status: string }[] } };
    const conditions = crd.status.conditions.filter(({ status }) => status === "True").map(({ type }) => type);
    expect([name, conditions.sort()]).toEqual([name, ["Established", "NamesAccepted"]]); // NonStructuralSchema would be here
  }
  expect(seen).toBeGreaterThan(1);
});

async function place(): Promise<{ cluster: ControlPlane; namespace: string }> {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  return { cluster, namespace: await cluster.namespace() };
}

/** Makes an object with a status and gives back when it was made. */
async function create(
  cluster: ControlPlane,
  namespace: string,
  kind: string,
  { spec, status }: { spec: object; status: object },
): Promise<string> {
  const collection = `/apis/${API_VERSION}/namespaces/${namespace}/${kind.toLowerCase()}s`;
  const object = { apiVersion: API_VERSION, kind, metadata: { name: "shop" }, spec };
  const { metadata } = await cluster.request("POST", collection, object) as { metadata: { creationTimestamp: string } };
  await cluster.request("PATCH", `${collection}/shop/status`, { status }, "application/merge-patch+json");
  return metadata.creationTimestamp;
}

/** The cells of a table that kubectl prints: at least three blanks stand between them. */
async function table(cluster: ControlPlane, args: readonly string[]): Promise<string[][]> {
  const { stdout } = await cluster.kubectl(args);
  return stdout.trimEnd().split("\n").map((line) => line.trimEnd().split(/ {3,}/));
}
