import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { openGround, rulesOf } from "./ground.ts";

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
