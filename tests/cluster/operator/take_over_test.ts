import { expect } from "expect";
import { alternativeNames, type WantedCertificate } from "../../../src/pki/mod.ts";
import { issueCertificate, type IssuedPair } from "../../../src/pki/crypto/mod.ts";
import { clusterTest } from "../control_plane/mod.ts";
import { type Ground, openGround, type TestObject } from "./ground.ts";

const KINDS = "operator.marin3r.3scale.net/v1alpha1";
const RBAC = "rbac.authorization.k8s.io/v1";
const LABELS = {
  "app.kubernetes.io/name": "marin3r",
  "app.kubernetes.io/managed-by": "marin3r-operator",
  "app.kubernetes.io/component": "discovery-service",
  "app.kubernetes.io/instance": "ds",
};

/** Writes an object as an older operator did: by an update of the manager `manager`, owned by another object. */
async function left(ground: Ground, path: string, object: object, owner?: TestObject): Promise<TestObject> {
  const { metadata, ...content } = object as { metadata: object };
  const reference = owner &&
    { apiVersion: KINDS, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid, controller: true };
  const body = {
    ...content,
    metadata: {
      ...metadata,
      namespace: ground.namespace,
      ...(reference && { ownerReferences: [{ ...reference, blockOwnerDeletion: true }] }),
    },
  };
  return await ground.cluster.request("POST", `${ground.path(path)}?fieldManager=manager`, body) as TestObject;
}

async function issue(name: string, more: Partial<WantedCertificate> = {}, issuer?: IssuedPair): Promise<IssuedPair> {
  const text = new TextEncoder();
  const wanted: WantedCertificate = {
    ...{ commonName: name, names: alternativeNames([name]), isCA: false, server: false, validFor: 172_800 },
    algorithm: "RSA-2048",
    ...more,
  };
  return await issueCertificate(wanted, {
    now: Date.now(),
    random: (count) => crypto.getRandomValues(new Uint8Array(count)),
    ...(issuer && { issuer: { certificate: text.encode(issuer.certificate), key: text.encode(issuer.key) } }),
  });
}

function tlsSecret(name: string, { certificate, key }: IssuedPair) {
  const data = { "tls.crt": btoa(certificate), "tls.key": btoa(key) };
  return { apiVersion: "v1", kind: "Secret", metadata: { name }, type: "kubernetes.io/tls", data };
}

function deployment(namespace: string) {
  const volumes = ["server", "ca", "client"].map((one) => ({
    name: `${one}-cert`,
    secret: { secretName: one === "client" ? "envoy-sidecar-client-cert" : `marin3r-${one}-cert-ds` },
  }));
  const container = {
    name: "marin3r",
    image: "example.com/marin3r:old",
    args: ["discovery-service", "--client-certificate-path=/etc/marin3r/tls/client"],
    env: [{ name: "WATCH_NAMESPACE", value: namespace }, { name: "OLD", value: "1" }],
    volumeMounts: volumes.map(({ name }) => ({ name, mountPath: `/etc/marin3r/tls/${name}/`, readOnly: true })),
  };
  const template = {
    metadata: { labels: { ...LABELS, "marin3r.3scale.net/server-certificate-hash": "oldhash" } },
    spec: { serviceAccountName: "marin3r-ds", volumes, containers: [container] },
  };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "marin3r-ds", labels: LABELS },
    spec: { replicas: 1, strategy: { type: "Recreate" }, selector: { matchLabels: LABELS }, template },
  };
}

clusterTest(
  "a cluster that an older operator has left: its certificates stay but the server's, and what it made becomes ours",
  async () => {
    await using ground = await openGround();
    const { namespace } = ground;
    const service = await left(ground, "discoveryservices", {
      apiVersion: KINDS,
      kind: "DiscoveryService",
      metadata: { name: "ds" },
    });
    const ca = await issue("marin3r-ca-ds", { isCA: true, validFor: 94_608_000 });
    const server = await issue("marin3r-server-ds", { server: true, validFor: 7_776_000 }, ca);
    const client = await issue("envoy-sidecar-client-cert", {}, ca);
    const signer = { caSigned: { caSecretRef: { name: "marin3r-ca-cert-ds", namespace } } };
    const made = [
      ["marin3r-ca-cert-ds", ca, {
        commonName: "marin3r-ca-ds",
        isCA: true,
        validFor: 94_608_000,
        signer: { selfSigned: {} },
      }],
      ["marin3r-server-cert-ds", server, {
        commonName: "marin3r-server-ds",
        server: true,
        validFor: 7_776_000,
        signer,
      }],
      ["envoy-sidecar-client-cert", client, { commonName: "envoy-sidecar-client-cert", validFor: 172_800, signer }],
    ] as const;
    for (const [name, pair, spec] of made) {
      const certificate = await left(ground, "discoveryservicecertificates", {
        ...{ apiVersion: KINDS, kind: "DiscoveryServiceCertificate", metadata: { name, labels: LABELS } },
        spec: { hosts: [spec.commonName], secretRef: { name }, certificateRenewal: { enabled: true }, ...spec },
      }, service);
      await left(ground, "secrets", tlsSecret(name, pair), certificate);
    }
    const metadata = { name: "marin3r-ds", labels: LABELS };
    await left(ground, "serviceaccounts", { apiVersion: "v1", kind: "ServiceAccount", metadata }, service);
    await left(ground, `${RBAC}/roles`, { apiVersion: RBAC, kind: "Role", metadata, rules: [] }, service);
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "marin3r-ds" };
    await left(ground, `${RBAC}/rolebindings`, { apiVersion: RBAC, kind: "RoleBinding", metadata, roleRef }, service);
    const before = await left(ground, "apps/v1/deployments", deployment(namespace), service);
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
    const trusted = btoa(ca.facts.pem);
    for (const [name, pair] of made) {
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
