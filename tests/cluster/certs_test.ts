import { expect } from "expect";
import { parseYaml } from "../../src/base/yaml/mod.ts";
import type { CertsReport } from "../../src/cli/certs/report.ts";
import { createAuthority } from "../certificates.ts";
import { chancery } from "../standalone/chancery.ts";
import { clusterTest, type PolicyRule, sharedControlPlane } from "./control_plane/mod.ts";

const USER_ROLES = new URL("../../manifests/rbac/user_roles.yaml", import.meta.url);

async function rulesOf(...names: readonly string[]): Promise<readonly PolicyRule[]> {
  const roles = parseYaml(await Deno.readTextFile(USER_ROLES), "user_roles.yaml").documents.map(({ value }) => {
    return value as { metadata: { name: string }; rules: readonly PolicyRule[] }; // ours
  });
  return roles.filter(({ metadata }) => names.includes(metadata.name)).flatMap(({ rules }) => rules);
}

clusterTest("chancery certs shows to each what they may see, and changes only what they may change", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace("certs");
  const authority = await createAuthority("The CA");
  const leaf = await authority.issue({ commonName: "leaf", dns: ["leaf.example"] });
  const certificate = (name: string, labels: object, spec: object) => ({
    ...{ apiVersion: "operator.marin3r.3scale.net/v1alpha1", kind: "DiscoveryServiceCertificate" },
    metadata: { name, namespace, labels },
    spec: { commonName: name, validFor: 3600, signer: { selfSigned: {} }, secretRef: { name }, ...spec },
  });
  const secret = (name: string, { cert, key }: { cert: string; key: string }) => ({
    ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata: { name, namespace } },
    stringData: { "tls.crt": cert, "tls.key": key, "ca.crt": authority.cert },
  });
  await cluster.apply([
    certificate("root", { part: "ca" }, { isCA: true }),
    certificate("leaf", { part: "leaf" }, { signer: { caSigned: { caSecretRef: { name: "root", namespace } } } }),
    certificate("absent", {}, {}),
    secret("root", authority),
    secret("leaf", leaf),
  ]);
  const as = async (name: string, rules: readonly PolicyRule[]) => {
    const kubeconfig = await cluster.serviceAccount(namespace, name, rules);
    return (...words: string[]) => chancery("certs", ...words, "--kubeconfig", kubeconfig, "-n", namespace);
  };
  const secrets = [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }];
  const viewer = await as("viewer", await rulesOf("chancery-view"));
  const editor = await as("editor", [...await rulesOf("chancery-view", "chancery-edit"), ...secrets]);
  const nobody = await as("nobody", []);

  const all = await editor("-o", "json", "--exit-code");
  expect(all.code).toBe(1);
  const { items } = JSON.parse(all.stdout) as CertsReport;
  expect(items).toMatchObject([
    { name: "absent", state: "Missing", fingerprint: null },
    { name: "leaf", issuer: "The CA", commonName: "leaf", names: ["leaf.example"], state: "NotReady" },
    { name: "root", type: "CA", issuer: "itself" },
  ]);
  expect(all.stdout).not.toContain("PRIVATE KEY");
  expect((await editor("-l", "part=leaf", "-o", "name")).stdout).toBe(`${namespace}/leaf\n`);
  expect(await editor("laef")).toMatchObject({
    ...{ code: 2, stderr: expect.stringContaining(`did you mean "${namespace}/leaf"?`) },
  });

  const seen = await viewer();
  expect(seen).toMatchObject({ code: 0, stdout: expect.stringContaining("it is not allowed; the status is shown") });
  expect(seen.stdout).not.toContain("The CA");
  expect(await nobody()).toMatchObject({ code: 2, stderr: expect.stringContaining("forbidden") });
  expect(await viewer("-A")).toMatchObject({ code: 2, stderr: expect.stringContaining("forbidden") });

  await cluster.request(
    "PATCH",
    `/apis/operator.marin3r.3scale.net/v1alpha1/namespaces/${namespace}/discoveryservicecertificates/root/status`,
    {
      status: {
        rotation: {
          ...{ phase: "Retire", since: "2026-01-01T00:00:00Z", current: "c2", lastSigned: "2026-01-01T00:00:00Z" },
          earlier: [{ fingerprint: "c1", until: "2027-01-01T00:00:00Z" }],
        },
      },
    },
    "application/merge-patch+json",
  );
  expect(await viewer("rotate", "root")).toMatchObject({ code: 2, stderr: expect.stringContaining("forbidden") });
  expect(await editor("rotate", "root")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("asked for another"),
  });
  expect(await editor("distrust", "root")).toMatchObject({ code: 0 });
  const root = await cluster.request(
    "GET",
    `/apis/operator.marin3r.3scale.net/v1alpha1/namespaces/${namespace}/discoveryservicecertificates/root`,
  );
  expect(root).toMatchObject({
    metadata: {
      annotations: { "operator.marin3r.3scale.net/rotate": "c2", "operator.marin3r.3scale.net/distrust": "c1" },
      labels: { part: "ca" },
    },
  });
  expect(await editor("rotate", "leaf")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("kubectl delete secret leaf"),
  });
  await cluster.request("DELETE", `/api/v1/namespaces/${namespace}`);
});
