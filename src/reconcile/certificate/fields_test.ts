import { expect } from "expect";
import { type FieldCase, nameOf, specsOf } from "../../../tests/cluster/operator/fields/field_case.ts";
import { fieldsOf } from "../../../tests/cluster/operator/fields/fields_of.ts";
import { CertificateScene } from "../../../tests/reconcile/certificate_scene.ts";
import { DISCOVERY_SERVICE_CERTIFICATE, namespaceUri, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { readPrivateKey, signerOf } from "../../pki/crypto/mod.ts";
import { BACKDATE_MS } from "../../pki/mod.ts";
import { bytesIn } from "./secret_readings.ts";

const HOUR_S = 3600;
/** By then every certificate has been issued again, also one that lives longer for now. */
const HOURS = 11;

/** What every certificate says that a field is tried out with. */
const COMMON = {
  ...{ commonName: "client", validFor: 10 * HOUR_S, secretRef: { name: "" } },
  signer: { caSigned: { caSecretRef: { name: "ca", namespace: "demo" } } },
};

/** What there is of it. */
const SEEN = {
  ...{ commonName: "client", names: ["client"], isCA: false, uses: ["client"], validFor: 10 * HOUR_S },
  ...{ key: "ec", signer: "demo/ca", secret: "own", ready: true, upToDate: "AsWanted" },
};

interface CertificateCase extends FieldCase {
  /** What is different at once, and what is when the certificate would have been issued again; the same when absent. */
  readonly now: Partial<typeof SEEN>;
  readonly later?: Partial<typeof SEEN>;
  /** What is different all the time, for what else its spec says. */
  readonly always?: Partial<typeof SEEN>;
}

/** It is left to end, and what it says is true until then. */
const ENDED = { ready: false, upToDate: "RenewalDisabled" };

/** All fields of a DiscoveryServiceCertificate. What leaves what a certificate says alone never issues it before its time. */
const CASES: Readonly<Record<string, CertificateCase>> = {
  commonName: { to: "other", now: { commonName: "other", names: ["other"] } },
  server: { to: true, now: { uses: ["server"] } },
  isCA: { to: true, now: { isCA: true, uses: [] } },
  validFor: { to: 12 * HOUR_S, now: {}, later: { validFor: 12 * HOUR_S } },
  hosts: { to: ["xds.example.com", "192.0.2.1"], now: { names: ["xds.example.com", "192.0.2.1"] } },
  uris: { to: [namespaceUri("demo")], now: { names: ["client", namespaceUri("demo")] } },
  // It is what is meant where nothing is said.
  "signer.selfSigned": { to: {}, given: { signer: {} }, now: {}, always: { signer: "itself" } },
  "signer.caSigned.caSecretRef.name": { to: "other-ca", now: { signer: "demo/other-ca" } },
  "signer.caSigned.caSecretRef.namespace": { to: "elsewhere", now: { signer: "elsewhere/ca" } },
  "secretRef.name": { to: "moved", now: { secret: "moved" } },
  // It is in the namespace of the object, whatever is said.
  "secretRef.namespace": { to: "elsewhere", now: {} },
  "certificateRenewal.enabled": { to: false, now: {}, later: ENDED },
  "certificateRenewalConfig.enabled": { to: false, now: {}, later: ENDED },
  keyAlgorithm: { to: "RSA-2048", now: {}, later: { key: "rsa" } },
};

const AUTHORITIES: readonly ObjectKey[] = [
  { kind: "Secret", namespace: "demo", name: "ca" },
  { kind: "Secret", namespace: "demo", name: "other-ca" },
  { kind: "Secret", namespace: "elsewhere", name: "ca" },
];

/** A certificate for each field, with three CAs. */
class FieldScene extends CertificateScene {
  async authorities(): Promise<void> {
    for (const { name, namespace } of AUTHORITIES) {
      const spec = { isCA: true, validFor: 1000 * HOUR_S, signer: { selfSigned: {} } };
      await this.want(name, spec, { namespace });
    }
    const metadata = {
      namespace: "elsewhere",
      name: "ca",
      annotations: { [OPERATOR_ANNOTATIONS.allowIssuingTo]: "demo" },
    };
    await this.store.apply({ apiVersion: "v1", kind: "Secret", metadata }, { fieldManager: "user" });
  }

  /** Applies what each is about, or how it was. */
  async apply(which: "before" | "after"): Promise<void> {
    for (const [field, one] of Object.entries(CASES)) {
      const common = { ...COMMON, secretRef: { name: nameOf(field) } };
      await this.want(nameOf(field), specsOf(common, field, one)[which]);
    }
  }

  /** Lets the time pass in which each is issued again. */
  async renew(): Promise<void> {
    for (let hours = 0; hours < HOURS; hours++) {
      this.clock.advance(HOUR_S * 1000);
      await this.settle();
    }
  }

  /** What there is, by field. */
  async seen(): Promise<Record<string, unknown>> {
    const fields = Object.keys(CASES).map(async (field) => [field, await this.#seenOf(nameOf(field))] as const);
    return Object.fromEntries(await Promise.all(fields));
  }

  async #seenOf(name: string): Promise<unknown> {
    const object = { kind: "DiscoveryServiceCertificate", namespace: "demo", name };
    const { spec } = await this.store.get(object) as unknown as { spec: typeof COMMON };
    const key: ObjectKey = { ...object, kind: "Secret", name: spec.secretRef.name };
    const { leaf } = (await this.secret(key))!;
    const { commonName, names: { dns, ips, uris }, isCA, extendedKeyUsages } = leaf;
    const { ready, conditions = [] } = await this.status(name);
    const privateKey = readPrivateKey(bytesIn((await this.store.get(key)) as never, "tls.key")!);
    return {
      ...{ commonName, names: [...dns, ...ips, ...uris], isCA, uses: extendedKeyUsages.map((oid) => USES[oid] ?? oid) },
      validFor: (leaf.notAfter - leaf.notBefore - BACKDATE_MS) / 1000,
      key: typeof privateKey === "string" ? privateKey : privateKey.asymmetricKeyType,
      signer: leaf.selfSigned ? "itself" : await this.#signerOf(leaf),
      secret: key.name === name ? "own" : key.name,
      ...{ ready, upToDate: conditions.find(({ type }) => type === "UpToDate")?.reason },
    };
  }

  async #signerOf(leaf: Parameters<typeof signerOf>[0]): Promise<string | undefined> {
    for (const key of AUTHORITIES) {
      if (signerOf(leaf, [(await this.secret(key))!.leaf])) return `${key.namespace}/${key.name}`;
    }
    return undefined;
  }
}

const USES: Readonly<Record<string, string>> = { "1.3.6.1.5.5.7.3.1": "server", "1.3.6.1.5.5.7.3.2": "client" };

function expected(differences: (one: CertificateCase) => Partial<typeof SEEN>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(CASES).map(([field, one]) => [field, { ...SEEN, ...one.always, ...differences(one) }]),
  );
}

Deno.test("every field of DiscoveryServiceCertificate has a case", () => {
  expect(fieldsOf(DISCOVERY_SERVICE_CERTIFICATE.spec).sort()).toEqual(Object.keys(CASES).sort());
});

Deno.test("C5: each field of DiscoveryServiceCertificate is followed, there and back", async () => {
  await using scene = new FieldScene();
  await scene.start();
  await scene.authorities();
  await scene.apply("before");
  expect(await scene.seen()).toEqual(expected(() => ({})));
  await scene.apply("after");
  expect(await scene.seen()).toEqual(expected(({ now }) => now));
  await scene.renew();
  expect(await scene.seen()).toEqual(expected(({ now, later }) => later ?? now));
  await scene.apply("before");
  await scene.renew();
  expect(await scene.seen()).toEqual(expected(() => ({})));
  expect(scene.errors).toEqual([]);
});
