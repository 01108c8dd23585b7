import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { openGround } from "./ground.ts";
import { leftDiscoveryService, RBAC } from "./older_program.ts";

clusterTest(
  "a cluster that an older operator has left: its certificates stay but the server's, and what it made becomes ours",
  async () => {
    await using ground = await openGround();
    const { certificates, deployment: before } = await leftDiscoveryService(ground);
    const [ca] = certificates;
    await ground.patch("apps/v1/deployments/marin3r-ds", { metadata: { annotations: { "example.com/team": "edge" } } });

    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.reason("discoveryservices/ds", "ServerVerifiable", "NamesAndBundleInPlace");
    await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted");
    await ground.gone(`${RBAC}/roles/marin3r-ds`);
    await ground.until(
      `${RBAC}/rolebindings/marin3r-ds`,
      "bound to the ClusterRole",
      (one) => JSON.stringify(one).includes("chancery-discovery-service"),
    );

    // Nobody's certificate changes but that of the server, which lacked the name that is dialled; each learns what to trust.
    const trusted = btoa(ca.pair.facts.pem);
    for (const { name, pair } of certificates) {
      const { data = {} } = await ground.until(
        `secrets/${name}`,
        "complete",
        ({ data }) => data?.["ca.crt"] !== undefined,
      );
      expect([name, data["ca.crt"] === trusted, data["tls.crt"] === btoa(pair.certificate)]).toEqual(
        [name, true, name !== "marin3r-server-cert-ds"],
      );
    }
    const after = await ground.until(
      "apps/v1/deployments/marin3r-ds",
      "ours",
      ({ metadata }) => metadata.annotations?.["marin3r.3scale.net/server-certificate-hash"] !== undefined,
    );
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.metadata.annotations?.["example.com/team"]).toBe("edge");
    const { template, replicas } = after.spec as {
      template: {
        spec: { volumes: { name: string; configMap?: object }[]; containers: { env: { name: string }[] }[] };
      };
      replicas: number;
    };
    expect(replicas).toBe(2);
    expect(template.spec.volumes.map(({ name, configMap }) => [name, configMap !== undefined])).toEqual([
      ["server-cert", false],
      ["ca-cert", true],
    ]);
    expect(template.spec.containers[0]?.env.map(({ name }) => name)).toEqual([
      ...["WATCH_NAMESPACE", "POD_NAME", "POD_NAMESPACE"],
    ]);
    await operator.stop();
  },
);

clusterTest("an operator waits for MARIN3R's to be gone, whatever Lease that has, and says so", async () => {
  await using ground = await openGround();
  const { cluster, namespace } = ground;
  const labels = { "control-plane": "controller-manager" };
  const older = "apps/v1/deployments/marin3r-controller-manager";
  await cluster.apply([{
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "marin3r-controller-manager", namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [{ name: "manager", image: "example.com/marin3r:old", args: ["operator", "--leader-elect"] }],
        },
      },
    },
  }]);
  const operator = ground.operator("operator-1");
  await operator.start({ wait: false });
  await eventually(() => operator.process.lines.some((line) => line.includes("has to be scaled to 0")), {
    ...{ what: "the operator to say what it waits for", deadlineMs: 60_000, explain: () => operator.process.tail(20) },
  });
  expect(await operator.unreadiness()).toContain(
    `Deployment ${namespace}/marin3r-controller-manager has to be scaled to 0`,
  );
  await ground.apply("DiscoveryService", "ds", { replicas: 0 });
  const leases = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  expect(await cluster.request("GET", leases)).toMatchObject({ items: [] });
  await ground.patch(older, { spec: { replicas: 0 } });
  await operator.ready();
  await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted", 60_000);
  await operator.stop();
});
