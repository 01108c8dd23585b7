import { expect } from "expect";
import { CertificateScene } from "../../../tests/reconcile/certificate_scene.ts";
import { bundleOf } from "../../api/operator/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { issueCertificate, type IssuedPair, readCertificates, signerOf } from "../../pki/crypto/mod.ts";
import type { CertificateFacts } from "../../pki/mod.ts";
import { bytesIn } from "./secret_readings.ts";

const HOUR_S = 3600;
const STEP_MS = 2 * HOUR_S * 1000;
const CA_S = 100 * HOUR_S;
const CA: ObjectKey = { kind: "Secret", namespace: "demo", name: "ca" };
const CLIENT: ObjectKey = { kind: "Secret", namespace: "demo", name: "client" };
const BUNDLE: ObjectKey = { kind: "ConfigMap", namespace: "demo", name: bundleOf("ca") };
const SIGNER = { caSigned: { caSecretRef: { name: "ca", namespace: "demo" } } };

/** A CA, a server, and a client whose Secret somebody else makes. */
class ForeignScene extends CertificateScene {
  #written: unknown;

  async wantAuthority(): Promise<void> {
    await this.want("ca", { isCA: true, validFor: CA_S, signer: { selfSigned: {} } });
  }

  async wantOthers(): Promise<void> {
    await this.want("server", { server: true, validFor: 4 * HOUR_S, signer: SIGNER });
    await this.want("client", { validFor: 4 * HOUR_S, signer: SIGNER });
  }

  /** Makes the client's Secret by hand. */
  async write(pair: IssuedPair, { trusted }: { trusted: readonly string[] }): Promise<void> {
    const ca = trusted.length > 0 ? { "ca.crt": btoa(trusted.join("")) } : {};
    const data = { "tls.crt": btoa(pair.certificate), "tls.key": btoa(pair.key), ...ca };
    const { kind: _, ...metadata } = CLIENT;
    const secret = { apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls", metadata, data };
    await this.store.apply(secret, { fieldManager: "somebody", force: true });
    this.#written = data;
    await this.settle();
  }

  /** Signs by the CA, as whoever may read its key can. */
  async signByHand(validFor: number): Promise<IssuedPair> {
    const secret = (await this.store.get(CA)) as never;
    const issuer = { certificate: bytesIn(secret, "tls.crt")!, key: bytesIn(secret, "tls.key")! };
    return await makePair({ now: this.clock.now(), validFor, issuer });
  }

  /** That the Secret is as it was made, and that the certificate says so. */
  async isLeftAlone(): Promise<void> {
    const stored = await this.store.get(CLIENT);
    expect(stored?.["data"]).toEqual(this.#written);
    expect([stored?.metadata.ownerReferences, stored?.metadata.annotations]).toEqual([undefined, undefined]);
    const { conditions = [] } = await this.status("client");
    expect(conditions.find(({ type }) => type === "UpToDate")).toMatchObject({
      ...{ status: "False", reason: "SecretNotOwned" },
    });
  }

  /** What discovery services trust. */
  async trusted(): Promise<CertificateFacts[]> {
    const { data } = (await this.store.get(BUNDLE)) as unknown as { data: Record<string, string> };
    return readCertificates(new TextEncoder().encode(data["ca.crt"])) ?? [];
  }

  async waitsFor(): Promise<string> {
    const { conditions = [] } = await this.status("ca");
    return conditions.find(({ type }) => type === "Rotating")?.message ?? "";
  }
}

function makePair(
  options: { now: number; validFor: number; isCA?: boolean; issuer?: { certificate: Uint8Array; key: Uint8Array } },
): Promise<IssuedPair> {
  const { now, validFor, isCA = false, issuer } = options;
  const wanted = {
    ...{ commonName: "by-hand", names: { dns: [], ips: [], uris: [] }, isCA, server: false },
    ...{ validFor, algorithm: "ECDSA-P256" as const },
  };
  const random = (count: number) => crypto.getRandomValues(new Uint8Array(count));
  return issueCertificate(wanted, { now, random, ...(issuer && { issuer }) });
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

for (const late of [false, true]) {
  const when = late ? "after the CA" : "before there is a CA";
  Deno.test(`C6: a client Secret that another CA has signed, made ${when}, holds nothing up and brings in no CA`, async () => {
    await using scene = new ForeignScene();
    const now = scene.clock.now();
    const other = await makePair({ now, validFor: 1000 * HOUR_S, isCA: true });
    const issuer = { certificate: bytesOf(other.certificate), key: bytesOf(other.key) };
    const pair = await makePair({ now, validFor: 900 * HOUR_S, issuer });
    await scene.start();
    if (late) await scene.wantAuthority();
    await scene.write(pair, { trusted: [other.certificate] });
    await scene.wantOthers();
    await scene.wantAuthority();
    // The first CA is made at once, and signs.
    expect(await scene.status("ca")).toMatchObject({ ready: true, rotation: { phase: "Stable" } });
    const first = (await scene.secret(CA))!.leaf;
    expect((await scene.trusted()).map(({ fingerprint }) => fingerprint)).toEqual([first.fingerprint]);
    await scene.isLeftAlone();

    // A CA whose status is lost finds out about itself, and takes no other for one that it was.
    const key = { ...CA, kind: "DiscoveryServiceCertificate" };
    await scene.end();
    await scene.store.updateStatus(key, {});
    await scene.start();
    expect((await scene.status("ca")).rotation).toMatchObject({ phase: "Stable", current: first.fingerprint });
    expect((await scene.status("ca")).rotation?.earlier).toBeUndefined();

    await scene.rotate();
    expect(await scene.phase()).toBe("Trust");
    for (let minutes = 0; minutes < 7; minutes++) {
      scene.clock.advance(60_000);
      await scene.settle();
      expect((await scene.trusted()).map(({ fingerprint }) => fingerprint)).not.toContain(other.facts.fingerprint);
    }
    expect(await scene.phase()).toBe("Retire");
    const server = (await scene.secret({ ...CLIENT, name: "server" }))!;
    expect(signerOf(server.leaf, [(await scene.secret(CA))!.leaf])).toBeDefined();
    expect(server.trusted.map(({ fingerprint }) => fingerprint)).not.toContain(other.facts.fingerprint);
    await scene.isLeftAlone();
    expect(scene.errors).toEqual([]);
  });
}

Deno.test("C6, A3: a client Secret that our CA has signed for somebody is waited for by name, not for ever, and never refused", async () => {
  await using scene = new ForeignScene();
  await scene.start();
  await scene.wantAuthority();
  const first = (await scene.secret(CA))!.leaf;
  const pair = await scene.signByHand(98 * HOUR_S);
  await scene.write(pair, { trusted: [first.pem] });
  await scene.wantOthers();
  await scene.rotate();
  const accepted = async () => expect(signerOf(pair.facts, await scene.trusted())).toBeDefined();
  for (let steps = 0; steps < 12; steps++) {
    scene.clock.advance(STEP_MS);
    await scene.settle();
  }
  expect(await scene.phase()).toBe("Trust");
  expect(await scene.waitsFor()).toContain("waiting for demo/client");
  await scene.isLeftAlone();
  for (let steps = 0; steps < 45 && await scene.phase() === "Trust"; steps++) {
    scene.clock.advance(STEP_MS);
    await scene.settle();
    await accepted();
  }
  expect(await scene.phase()).toBe("Retire");
  expect(scene.clock.now()).toBeLessThan(first.notAfter - 4 * STEP_MS);
  await scene.isLeftAlone();
  while (scene.clock.now() < pair.facts.notAfter - STEP_MS) {
    await accepted();
    scene.clock.advance(STEP_MS);
    await scene.settle();
  }
  await scene.until("Stable", { stepMs: STEP_MS });
  expect((await scene.trusted()).map(({ fingerprint }) => fingerprint)).not.toContain(first.fingerprint);
  await scene.isLeftAlone();
  expect(scene.errors).toEqual([]);
});

Deno.test("A3: a client that keeps a certificate alone, for it verifies nobody, is not waited for and never refused", async () => {
  await using scene = new ForeignScene();
  await scene.start();
  await scene.wantAuthority();
  const first = (await scene.secret(CA))!.leaf;
  const pair = await scene.signByHand(50 * HOUR_S);
  await scene.write(pair, { trusted: [] });
  await scene.wantOthers();
  await scene.rotate();
  expect(await scene.waitsFor()).not.toContain("demo/client");
  for (let minutes = 0; minutes < 7; minutes++) {
    scene.clock.advance(60_000);
    await scene.settle();
    expect(signerOf(pair.facts, await scene.trusted())).toBeDefined();
  }
  expect(await scene.phase()).toBe("Retire");
  expect((await scene.secret(CA))!.leaf.fingerprint).not.toBe(first.fingerprint);
  while (scene.clock.now() < pair.facts.notAfter - STEP_MS) {
    scene.clock.advance(STEP_MS);
    await scene.settle();
    expect(signerOf(pair.facts, await scene.trusted())).toBeDefined();
  }
  await scene.until("Stable", { stepMs: STEP_MS });
  await scene.isLeftAlone();
});
