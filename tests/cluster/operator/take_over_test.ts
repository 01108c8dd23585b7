import { expect } from "expect";
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
    const { template, strategy, replicas } = after.spec as {
      template: {
        spec: { volumes: { name: string; configMap?: object }[]; containers: { env: { name: string }[] }[] };
      };
      strategy: object;
      replicas: number;
    };
    expect({ strategy, replicas }).toEqual({ strategy: { type: "Recreate" }, replicas: 2 });
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
