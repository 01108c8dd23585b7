import { expect } from "expect";
import { clusterTest, type ControlPlane, sharedControlPlane } from "../control_plane/mod.ts";

const API_VERSION = "marin3r.3scale.net/v1alpha1";
const COUNTS = { connected: 1, sent: 1, accepted: 1, rejected: 0, refusedData: 0, pending: 0 };
const REPORT = { bootId: "b", publication: "p", ...COUNTS };

interface Revision {
  readonly metadata: { readonly managedFields: readonly { manager: string; fieldsV1: unknown }[] };
  readonly status?: { readonly clients?: unknown; readonly conditions?: unknown };
}

clusterTest(
  "replicas write their reports beside each other and beside the leader, and a report goes without a trace",
  async () => {
    const cluster = await sharedControlPlane();
    await cluster.applyCrds();
    const path = `/apis/${API_VERSION}/namespaces/${await cluster.namespace()}/envoyconfigrevisions`;
    const metadata = { name: "r" };
    const kind = "EnvoyConfigRevision";
    await cluster.request("POST", path, {
      apiVersion: API_VERSION,
      kind,
      metadata,
      spec: { nodeID: "n", version: "v" },
    });
    const get = async () => await cluster.request("GET", `${path}/r`) as Revision;
    const report = (replica: string, clients: object | undefined) =>
      apply(cluster, `${path}/r`, {
        manager: `chancery-clients-${replica}`,
        ...(clients ? { status: { clients: { [replica]: clients } } } : {}),
      });

    await report("a", { ...REPORT, firstRefusalAt: "2026-01-02T03:04:05.678Z", rejections: [] });
    await report("b", REPORT);
    const conditions = [{
      ...{ type: "RevisionPublished", status: "True", reason: "VersionPublished", message: "" },
      lastTransitionTime: "2026-01-02T03:04:05Z",
    }];
    const whole = [{ op: "add", path: "/status", value: { ...(await get()).status, published: true, conditions } }];
    await cluster.request("PATCH", `${path}/r/status?fieldManager=chancery`, whole, "application/json-patch+json");

    // An entry is replaced as a whole: what a replica no longer says is gone.
    await report("a", { ...REPORT, accepted: 0 });
    expect((await get()).status?.clients).toEqual({ a: { ...REPORT, accepted: 0 }, b: REPORT });
    expect(ownedBy(await get(), "chancery-clients-a")).toEqual([{ "f:status": { "f:clients": { "f:a": {} } } }]);

    await report("a", undefined);
    expect((await get()).status).toEqual({ published: true, conditions, clients: { b: REPORT } });
    expect(ownedBy(await get(), "chancery-clients-a")).toEqual([]);
  },
);

function ownedBy({ metadata }: Revision, manager: string): unknown[] {
  return metadata.managedFields.filter((entry) => entry.manager === manager).map(({ fieldsV1 }) => fieldsV1);
}

async function apply(
  cluster: ControlPlane,
  path: string,
  { manager, ...content }: { manager: string; status?: object },
) {
  const object = { apiVersion: API_VERSION, kind: "EnvoyConfigRevision", metadata: { name: "r" }, ...content };
  const query = `fieldManager=${manager}&fieldValidation=Strict`;
  await cluster.request("PATCH", `${path}/status?${query}`, object, "application/apply-patch+yaml");
}
