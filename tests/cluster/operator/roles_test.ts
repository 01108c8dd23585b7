import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { type Ground, openGround, rulesOf } from "./ground.ts";

const RBAC = "rbac.authorization.k8s.io/v1";

Deno.test("what the operator binds to discovery services is what a discovery service may do", async () => {
  const url = new URL("../../../manifests/discovery-service/role.yaml", import.meta.url);
  const [document] = parseYaml(await Deno.readTextFile(url), "role.yaml").documents;
  expect(await rulesOf("discovery_service_role.yaml")).toEqual((document?.value as { rules: never }).rules); // a Role
});

clusterTest(
  "S4: certificates are looked after apart, by a role of its own with less rights for the operator",
  async () => {
    await using ground = await openGround();
    const { cluster, namespace } = ground;
    const account = async (name: string, files: readonly string[]) => {
      const rules = await Promise.all(files.map(rulesOf));
      return await cluster.serviceAccount(namespace, name, rules.flat(), { clusterWide: true });
    };
    const operator = ground.operator("operator-1", {
      kubeconfig: await account("operator-alone", ["operator_role.yaml", "leases_role.yaml"]),
      args: ["--external-cert-manager"],
    });
    const manager = ground.operator("cert-manager-1", {
      role: "cert-manager",
      kubeconfig: await account("cert-manager", ["cert_manager_role.yaml", "leases_role.yaml"]),
    });
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    await ground.reason("discoveryservices/ds", "Reconciled", "CertificateNotReady");
    await manager.start();
    await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted");
    await ground.until("apps/v1/deployments/marin3r-ds", "made", () => true);
    expect([operator.output, manager.output].join("\n")).not.toContain("cannot");
    const leases = await cluster.request("GET", `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`) as {
      items: { metadata: { name: string }; spec: { holderIdentity: string } }[];
    };
    expect(leases.items.map(({ metadata, spec }) => [metadata.name, spec.holderIdentity.split("_")[0]])).toEqual([
      ["2cfbe7d6.operator.marin3r.3scale.net", "operator-1"],
      ["certificates.operator.marin3r.3scale.net", "cert-manager-1"],
    ]);
    await manager.stop();
    await operator.stop();
  },
);

clusterTest(
  "wherever certificate controllers run, one of them does: an operator's wait for a cert-manager's",
  async () => {
    await using ground = await openGround();
    const manager = ground.operator("cert-manager-1", { role: "cert-manager" });
    await manager.start();
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    await ground.until("apps/v1/deployments/marin3r-ds", "made", () => true);
    expect(manager.output).toContain("A certificate was issued");
    expect(operator.output).not.toContain("A certificate was issued");
    await manager.stop();
    await operator.stop();
  },
);

/** Asks for one of each kind. */
async function populate(ground: Ground): Promise<void> {
  const metadata = { name: "edge", namespace: ground.namespace };
  const spec = { nodeID: "edge", envoyResources: {} };
  await ground.cluster.apply([{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata, spec }]);
  await ground.apply("DiscoveryService", "ds");
  await ground.apply("EnvoyDeployment", "front", { envoyConfigRef: "edge", discoveryServiceRef: "ds" });
}

clusterTest(
  "WATCH_NAMESPACE: with Roles in its namespaces alone an operator looks after one or several, and after no other",
  async () => {
    await using one = await openGround();
    await using two = await openGround();
    await using three = await openGround();
    const grounds = [one, two, three];
    await Promise.all(grounds.map(populate));
    const files = ["operator_role.yaml", "cert_manager_role.yaml", "leases_role.yaml"];
    const all = (await Promise.all(files.map(rulesOf))).flat();
    // A Role says nothing about objects that are in no namespace.
    const rules = all.filter(({ resources = [] }) => !resources.includes("namespaces"));
    const { cluster } = one;
    const kubeconfig = await cluster.serviceAccount(one.namespace, "narrow", rules);
    const metadata = { name: "narrow", namespace: two.namespace };
    await cluster.apply([
      { apiVersion: RBAC, kind: "Role", metadata, rules },
      {
        ...{ apiVersion: RBAC, kind: "RoleBinding", metadata },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "narrow" },
        subjects: [{ kind: "ServiceAccount", name: "narrow", namespace: one.namespace }],
      },
    ]);
    const settled = async (ground: Ground) => {
      await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted", 60_000);
      await ground.reason("envoydeployments/front", "Reconciled", "AsWanted", 60_000);
      await ground.until("apps/v1/deployments/marin3r-envoydeployment-front", "made", () => true);
    };
    const untouched = async (ground: Ground) => {
      expect((await ground.get("discoveryservices/ds"))?.status).toBeUndefined();
      expect(await ground.get("services/marin3r-ds")).toBeUndefined();
    };

    const alone = one.operator("operator-1", { kubeconfig });
    await alone.start();
    await settled(one);
    await untouched(two);
    await alone.stop();
    const both = one.operator("operator-2", { kubeconfig, watch: `${one.namespace}, ${two.namespace}` });
    await both.start();
    await settled(two);
    await settled(one);
    await untouched(three);
    await both.stop();
    // It goes without what a namespace says about its pods, and lacks nothing else.
    const denied = `${alone.output}\n${both.output}`.split("\n").filter((line) => line.includes(':narrow\\" cannot'));
    expect(denied.filter((line) => !line.includes("Cannot see what a namespace admits"))).toEqual([]);
  },
);
