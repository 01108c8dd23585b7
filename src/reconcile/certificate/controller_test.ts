import { expect } from "expect";
import { CertificateScene } from "../../../tests/reconcile/certificate_scene.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { signerOf } from "../../pki/crypto/mod.ts";

const CA: ObjectKey = { kind: "Secret", namespace: "demo", name: "ca" };
const LEAF: ObjectKey = { kind: "Secret", namespace: "demo", name: "leaf" };
const SELF = { signer: { selfSigned: {} } };
const BY_CA = { signer: { caSigned: { caSecretRef: { name: "ca", namespace: "demo" } } } };

Deno.test("a certificate is issued, told, and settled: what follows writes nothing", async () => {
  await using scene = new CertificateScene();
  await scene.start();
  await scene.want("ca", { ...SELF, isCA: true });
  await scene.want("leaf", BY_CA);
  const [ca, leaf] = [await scene.secret(CA), await scene.secret(LEAF)];
  expect(signerOf(leaf!.leaf, [ca!.leaf])).toBeDefined();
  expect(leaf!.trusted.map(({ fingerprint }) => fingerprint)).toEqual([ca!.leaf.fingerprint]);
  expect(await scene.status("leaf")).toMatchObject({ ready: true });
  const writes = scene.writes;
  scene.controller?.controller.lookAtAll();
  await scene.settle();
  await scene.start();
  expect(scene.writes).toBe(writes);
  expect(scene.errors).toEqual([]);
});

Deno.test("a certificate of 100 s is issued again after 80 s, and not before", async () => {
  await using scene = new CertificateScene();
  await scene.start();
  await scene.want("leaf", SELF);
  const first = await scene.secret(LEAF);
  await scene.pass(70);
  expect((await scene.secret(LEAF))?.leaf.fingerprint).toBe(first!.leaf.fingerprint);
  await scene.pass(15);
  expect((await scene.secret(LEAF))?.leaf.fingerprint).not.toBe(first!.leaf.fingerprint);
  expect(await scene.status("leaf")).toMatchObject({ ready: true });
});

Deno.test("with renewal off it ends, and what it was stays told", async () => {
  await using scene = new CertificateScene();
  await scene.start();
  await scene.want("leaf", { ...SELF, certificateRenewal: { enabled: false } });
  const before = await scene.status("leaf");
  await scene.pass(110);
  const after = await scene.status("leaf");
  expect(after.ready).toBe(false);
  expect([after.certificateHash, after.notBefore, after.notAfter])
    .toEqual([before.certificateHash, before.notBefore, before.notAfter]);
});

Deno.test("a Secret that is deleted is made again, also that of a CA, whose leaves then follow", async () => {
  await using scene = new CertificateScene();
  await scene.start();
  await scene.want("ca", { ...SELF, isCA: true, validFor: 100_000 });
  await scene.want("leaf", { ...BY_CA, validFor: 50_000 });
  const before = [await scene.secret(CA), await scene.secret(LEAF)];
  await scene.store.remove(LEAF);
  await scene.settle();
  expect((await scene.secret(LEAF))?.leaf.fingerprint).not.toBe(before[1]?.leaf.fingerprint);
  await scene.store.remove(CA);
  await scene.settle();
  for (let steps = 0; steps < 40 && await scene.secret(CA) === undefined; steps++) {
    scene.clock.advance(60_000);
    await scene.settle();
  }
  const [ca, leaf] = [await scene.secret(CA), await scene.secret(LEAF)];
  expect(ca?.leaf.fingerprint).not.toBe(before[0]?.leaf.fingerprint);
  expect(leaf?.trusted.map(({ fingerprint }) => fingerprint)).toContain(ca!.leaf.fingerprint);
});

Deno.test("C5: a lifetime of nothing is told and issues nothing", async () => {
  await using scene = new CertificateScene();
  await scene.start();
  await scene.want("leaf", { ...SELF, validFor: 0 });
  expect(await scene.store.get(LEAF)).toBeUndefined();
  const { conditions = [] } = await scene.status("leaf");
  expect(conditions.find(({ type }) => type === "UpToDate")?.reason).toBe("InvalidSpec");
});

Deno.test("C6: a Secret of somebody else is left as it is, whatever it holds", async () => {
  await using scene = new CertificateScene();
  const data = { "tls.crt": btoa("no certificate") };
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "leaf", namespace: "demo" }, data };
  await scene.store.apply(secret, { fieldManager: "user" });
  await scene.start();
  await scene.want("leaf", SELF);
  expect((await scene.store.get(LEAF))?.["data"]).toEqual(data);
  const { conditions = [] } = await scene.status("leaf");
  expect(conditions.find(({ type }) => type === "UpToDate")?.reason).toBe("SecretNotOwned");
  expect(scene.errors).toEqual([]);
});

Deno.test("whichever write a process dies at, the next one comes to the same end", async () => {
  for (let crashAt = 0; crashAt < 9; crashAt++) {
    await using scene = new CertificateScene();
    await scene.start();
    scene.crashAt = crashAt;
    await scene.want("ca", { ...SELF, isCA: true });
    await scene.want("leaf", BY_CA);
    await scene.start();
    const [ca, leaf] = [await scene.secret(CA), await scene.secret(LEAF)];
    expect([crashAt, ca?.keyMatches, leaf?.keyMatches]).toEqual([crashAt, true, true]);
    expect(signerOf(leaf!.leaf, [ca!.leaf])).toBeDefined();
    expect(await scene.status("leaf")).toMatchObject({ ready: true });
  }
});

const HOUR_MS = 3_600_000;
const JUMPS: readonly { readonly name: string; readonly ms: number }[] = [
  { name: "ahead, to where certificates are renewed", ms: 9 * HOUR_MS },
  { name: "ahead, to where certificates have ended", ms: 11 * HOUR_MS },
  { name: "ahead, to where the CA has ended", ms: 101 * HOUR_MS },
  { name: "back by a minute", ms: -60_000 },
  { name: "back to before certificates begin", ms: -HOUR_MS },
  { name: "back by a year", ms: -8760 * HOUR_MS },
];

for (const { name, ms } of JUMPS) {
  Deno.test(`a clock that is set ${name} leaves certificates that can be used, and is over then`, async () => {
    await using scene = new CertificateScene();
    await scene.start();
    await scene.want("ca", { ...SELF, isCA: true, validFor: 100 * 3600 });
    await scene.want("leaf", { ...BY_CA, validFor: 10 * 3600 });
    scene.skewMs = ms;
    // Nobody is told of it: the next look at everything finds out.
    for (let minutes = 0; minutes < 40; minutes += 5) {
      scene.clock.advance(5 * 60_000);
      await scene.settle();
    }
    const now = scene.clock.now() + ms;
    const [ca, leaf] = [await scene.secret(CA), await scene.secret(LEAF)];
    for (const one of [ca, leaf]) {
      expect([one!.leaf.notBefore <= now, now < one!.leaf.notAfter]).toEqual([true, true]);
    }
    expect(signerOf(leaf!.leaf, [ca!.leaf])).toBeDefined();
    expect(leaf!.trusted.map(({ fingerprint }) => fingerprint)).toContain(ca!.leaf.fingerprint);
    expect(await scene.status("leaf")).toMatchObject({ ready: true });
    const writes = scene.writes;
    scene.clock.advance(10 * 60_000);
    await scene.settle();
    expect([scene.writes - writes, scene.errors]).toEqual([0, []]);
  });
}
