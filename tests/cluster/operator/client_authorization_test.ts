import { expect } from "expect";
import { nodeCertificateName, nodeIdUri } from "../../../src/api/operator/mod.ts";
import { readCertificates } from "../../../src/pki/crypto/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { conditionOf, type Ground, openGround, type TestObject } from "./ground.ts";

const DEPLOYMENT = "apps/v1/deployments/marin3r-ds";
const SERVICE = "discoveryservices/ds";
const DEADLINE_MS = 40_000;

/** What the pods of the discovery service ask of clients. */
function askedBy({ spec }: TestObject): string[] {
  const { template } = spec as { template: { spec: { containers: { args: string[] }[] } } }; // a Deployment
  return template.spec.containers[0]!.args.filter((word) => word.includes("client-authorization"));
}

/** The URIs in the certificate of a Secret. */
function urisIn({ data = {} }: TestObject): readonly string[] {
  const [leaf] = readCertificates(Uint8Array.fromBase64(data["tls.crt"] ?? "")) ?? [];
  return leaf?.names.uris ?? [];
}

async function configure({ cluster, namespace }: Ground, nodeID: string): Promise<void> {
  await cluster.apply([{
    ...{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata: { name: "config", namespace } },
    spec: { nodeID, envoyResources: {} },
  }]);
}

clusterTest(
  "S2: each node id has a certificate of its own, and it is asked for once all certificates say what they are good for",
  async () => {
    await using ground = await openGround();
    const { namespace, cluster } = ground;
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds", { pkiConfig: { trustDelay: "2s" } });
    const nodeId = "front/ö";
    await configure(ground, nodeId);
    // Somebody's own client, of whose rights nobody has said anything.
    const client = {
      ...{ commonName: "client", validFor: 86_400, secretRef: { name: "client" } },
      signer: { caSigned: { caSecretRef: { name: "marin3r-ca-cert-ds", namespace } } },
    };
    await ground.apply("DiscoveryServiceCertificate", "client", client);
    await ground.reason("discoveryservicecertificates/client", "Ready", "CertificateUsable", DEADLINE_MS);
    expect(askedBy(await ground.until(DEPLOYMENT, "made", () => true, DEADLINE_MS))).toEqual([]);

    const ask = (spec: object) => ground.patch(SERVICE, { spec });
    await ask({ clientAuthorization: "NodeID" });
    const secret = `secrets/${nodeCertificateName(nodeId)}`;
    const uri = nodeIdUri(namespace, nodeId);
    expect(urisIn(await ground.until(secret, "issued", () => true, DEADLINE_MS))).toEqual([uri]);
    const waiting = await ground.until(
      SERVICE,
      "waiting for that client alone",
      (object) => /: client$/.test(conditionOf(object, "ClientsAuthorized")?.message ?? ""),
      DEADLINE_MS,
    );
    expect(conditionOf(waiting, "ClientsAuthorized")?.reason).toBe("CertificatesLackUris");
    expect(askedBy((await ground.get(DEPLOYMENT))!)).toEqual([]);

    // Meanwhile whoever would be refused can be told of.
    await ask({ clientAuthorizationAction: "Warn" });
    await ground.until(DEPLOYMENT, "told to warn", (object) => askedBy(object).length === 2, DEADLINE_MS);
    await ask({ clientAuthorizationAction: "Refuse" });
    await ground.apply("DiscoveryServiceCertificate", "client", { ...client, uris: [uri] });
    await ground.reason(SERVICE, "ClientsAuthorized", "NodeIdRequired", DEADLINE_MS);
    await ground.until(
      DEPLOYMENT,
      "told to refuse",
      (object) => askedBy(object).join() === "--client-authorization=NodeID",
      DEADLINE_MS,
    );

    // A node id that nobody has any more keeps its certificate for a while.
    await cluster.request("DELETE", `/apis/marin3r.3scale.net/v1alpha1/namespaces/${namespace}/envoyconfigs/config`);
    const path = `discoveryservicecertificates/${nodeCertificateName(nodeId)}`;
    const since = "operator.marin3r.3scale.net/unused-since";
    await ground.until(
      path,
      "known to be unused",
      ({ metadata }) => metadata.annotations?.[since] !== undefined,
      DEADLINE_MS,
    );
    await configure(ground, nodeId);
    await ground.until(path, "used again", ({ metadata }) => metadata.annotations?.[since] === undefined, DEADLINE_MS);
    await cluster.request("DELETE", `/apis/marin3r.3scale.net/v1alpha1/namespaces/${namespace}/envoyconfigs/config`);
    await ground.until(
      path,
      "unused again",
      ({ metadata }) => metadata.annotations?.[since] !== undefined,
      DEADLINE_MS,
    );
    const longAgo = new Date(Date.now() - 3_700_000).toISOString();
    await ground.patch(path, { metadata: { annotations: { [since]: longAgo } } });
    await ground.gone(path);
    await operator.stop();
  },
);
