import { expect } from "expect";
import { certificateSettings, type DiscoveryServiceCertificate, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { type Secret, secretBytes } from "../../api/mod.ts";
import { issueCertificate, type IssuedPair, readPair, signerOf } from "../../pki/crypto/mod.ts";
import { judgeCertificate } from "../../pki/mod.ts";
import { bundleObject, issuedSecret, pemOf } from "./objects.ts";
import { isSecretOf, lacksReference } from "./ownership.ts";
import { wantedCertificate } from "./wanted.ts";

const NOW = Date.parse("2026-03-04T05:06:07Z");

function random(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

function certificate(name: string, spec: Partial<DiscoveryServiceCertificate["spec"]>): DiscoveryServiceCertificate {
  return {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    metadata: { name, namespace: "ns", uid: `${name}-uid`, labels: { a: "b" } },
    spec: { commonName: name, validFor: 3600, signer: {}, secretRef: { name: `${name}-secret` }, ...spec },
  };
}

const CA = certificate("marin3r-ca-cert-ds", { isCA: true });
const SERVER = certificate("server", { server: true, hosts: ["marin3r-ds.ns.svc"] });

async function issued(): Promise<{ ca: IssuedPair; server: IssuedPair }> {
  const ca = await issueCertificate(wantedCertificate(CA), { now: NOW, random });
  const [certificate, key] = [ca.certificate, ca.key].map((text) => new TextEncoder().encode(text));
  const issuer = { certificate: certificate!, key: key! };
  return { ca, server: await issueCertificate(wantedCertificate(SERVER), { now: NOW, random, issuer }) };
}

Deno.test("issuedSecret() is what readPair() reads, and what the judge has nothing against", async () => {
  const { ca, server } = await issued();
  const secret = issuedSecret(SERVER, { pair: server, bundle: [ca.facts], over: undefined }) as unknown as Secret;
  expect({ name: secret.metadata.name, type: secret.type }).toEqual({
    name: "server-secret",
    type: "kubernetes.io/tls",
  });
  expect(isSecretOf(secret.metadata, SERVER)).toBe(true);
  expect(lacksReference(secret.metadata, SERVER)).toBe(false);
  const reading = readPair((key) => secretBytes(secret, key));
  const judgement = judgeCertificate({
    now: NOW,
    wanted: wantedCertificate(SERVER),
    renewal: certificateSettings(SERVER).renewal,
    secret: { kind: "found", ours: true, reading, signer: signerOf(server.facts, [ca.facts]) },
    issuer: { kind: "usable", certificate: ca.facts, trusted: true },
    bundle: [ca.facts],
  });
  expect(judgement).toMatchObject({ do: "keep", ready: true, finding: undefined });
});

Deno.test("issuedSecret() is written over the very Secret that was looked at", async () => {
  const { ca, server } = await issued();
  const over = { uid: "u", resourceVersion: "7" };
  expect(issuedSecret(SERVER, { pair: server, bundle: [ca.facts], over }).metadata).toMatchObject(over);
  const next = issuedSecret(CA, { pair: ca, bundle: [ca.facts], over: undefined, next: true });
  expect(next.metadata.name).toBe("marin3r-ca-cert-ds-secret-next");
});

Deno.test("S3: bundleObject() holds certificates in one order, and no key", async () => {
  const { ca, server } = await issued();
  const bundle = bundleObject(CA, [ca.facts, server.facts, ca.facts]);
  expect(bundle).toMatchObject({ kind: "ConfigMap", metadata: { name: "marin3r-ca-bundle-ds", namespace: "ns" } });
  expect(bundle.data).toEqual({ "ca.crt": pemOf([server.facts, ca.facts]) });
  expect(JSON.stringify(bundle)).not.toContain("PRIVATE KEY");
  expect(bundleObject(certificate("mine", { isCA: true }), []).metadata.name).toBe("mine-bundle");
});
