import { expect } from "expect";
import { CertificateScene } from "../../../tests/reconcile/certificate_scene.ts";
import { AUTHORITY_LABEL } from "../../api/mod.ts";
import { keySecretOf, OPERATOR_ANNOTATIONS, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { issueCertificate, signerOf } from "../../pki/crypto/mod.ts";
import { bytesIn } from "./secret_readings.ts";

const KEYS = "chancery-system";
const HOUR = 3600;

/** The CA of a discovery service and a certificate of it, on a manual clock; keys lie in a namespace of their own. */
class KeyScene extends CertificateScene {
  constructor() {
    super({ keyNamespace: KEYS });
  }

  /** A DiscoveryService with its CA and a client; gives its uid. */
  async service(namespace = "demo", { leaf = true } = {}): Promise<string> {
    const { metadata } = await this.store.apply({
      ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { name: "ds", namespace } },
      spec: { pkiConfig: { trustDelay: "1m" } },
    }, { fieldManager: "user" });
    const uid = metadata.uid!; // it is stored
    await this.authority(uid, namespace);
    const signer = { caSigned: { caSecretRef: { name: "ca", namespace } } };
    if (leaf) await this.want("leaf", { signer, validFor: HOUR }, { namespace, ...ownedBy(uid) });
    return uid;
  }

  /** The certificate of the CA. */
  async authority(uid: string, namespace = "demo"): Promise<void> {
    const spec = { isCA: true, validFor: 100 * HOUR, signer: { selfSigned: {} } };
    await this.want("ca", spec, { namespace, ...ownedBy(uid) });
  }

  /** What lies under a key of a Secret, as text. */
  async text(secret: ObjectKey, name: string): Promise<string | undefined> {
    const found = await this.store.get(secret);
    const bytes = found && bytesIn(found as never, name);
    return bytes && new TextDecoder().decode(bytes);
  }
}

function ownedBy(uid: string) {
  const owner = { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", name: "ds", uid, controller: true };
  return { ownerReferences: [owner] };
}

function shownIn(namespace: string): ObjectKey {
  return { kind: "Secret", namespace, name: "ca" };
}

function keyOf(namespace: string): ObjectKey {
  return { kind: "Secret", namespace: KEYS, name: keySecretOf({ namespace, name: "ca" }) };
}

const LEAF: ObjectKey = { kind: "Secret", namespace: "demo", name: "leaf" };

Deno.test("S3: the key of a discovery service's CA lies elsewhere; who looks beside the CA finds it and what it trusts", async () => {
  await using scene = new KeyScene();
  await scene.start();
  await scene.service();
  const shown = shownIn("demo");
  expect(await scene.text(shown, "tls.key")).toBeUndefined();
  expect(await scene.text(keyOf("demo"), "tls.key")).toContain("PRIVATE KEY");
  const certificate = await scene.text(keyOf("demo"), "tls.crt");
  expect([await scene.text(shown, "tls.crt"), await scene.text(shown, "ca.crt")]).toEqual([certificate, certificate]);
  const stored = await scene.store.get(shown);
  expect(stored?.["type"]).toBe("kubernetes.io/tls");
  // What holds a key of a CA says so, for it is never to be served; what only shows the CA does not.
  expect((await scene.store.get(keyOf("demo")))?.metadata.labels).toMatchObject(AUTHORITY_LABEL);
  expect(stored?.metadata.labels).toBeUndefined();
  expect(stored?.metadata.annotations?.[OPERATOR_ANNOTATIONS.keyIn]).toBe("chancery-system/chancery-ca.demo.ca");
  const [leaf, ca] = [await scene.secret(LEAF), await scene.secret(keyOf("demo"))];
  expect(signerOf(leaf!.leaf, [ca!.leaf])).toBeDefined();
  expect(await scene.status("ca")).toMatchObject({ ready: true });

  const writes = scene.writes;
  scene.controller?.controller.lookAtAll();
  await scene.settle();
  await scene.start();
  expect(scene.writes).toBe(writes);
  // What is changed by hand comes back.
  await scene.store.remove(shown);
  await scene.settle();
  expect(await scene.text(shown, "ca.crt")).toBe(certificate);
  expect(scene.errors).toEqual([]);
});

Deno.test("S3: discovery services of one name in two namespaces have a key each", async () => {
  await using scene = new KeyScene();
  await scene.start();
  await scene.service("demo");
  await scene.service("other");
  const keys = [await scene.text(keyOf("demo"), "tls.key"), await scene.text(keyOf("other"), "tls.key")];
  expect(keys[0]).not.toBe(keys[1]);
  const long = keySecretOf({ namespace: "a".repeat(63), name: "x".repeat(253) });
  expect(long).toMatch(/^chancery-ca\.[a-z2-7]{32}$/);
});

/** Writes of a change of the CA: whichever of them a process dies at, the next one comes to the same end. */
const WRITES = 13;

for (let crashAt = 0; crashAt < WRITES; crashAt++) {
  Deno.test(`S3: a key beside its CA stays until another CA follows, also when the process dies at write ${crashAt}`, async () => {
    await using scene = new KeyScene();
    const made = await issueCertificate({
      ...{ commonName: "ca", names: { dns: ["ca"], ips: [], uris: [] }, isCA: true, server: false },
      ...{ validFor: 100 * HOUR, algorithm: "ECDSA-P256" },
    }, { now: scene.clock.now(), random: (count) => crypto.getRandomValues(new Uint8Array(count)) });
    const uid = await scene.service("demo", { leaf: false });
    const { metadata } = (await scene.store.get({ ...shownIn("demo"), kind: "DiscoveryServiceCertificate" }))!;
    const owner = { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryServiceCertificate", name: "ca" };
    await scene.store.apply({
      ...{ apiVersion: "v1", kind: "Secret", type: "kubernetes.io/tls" },
      metadata: {
        ...{ name: "ca", namespace: "demo" },
        ownerReferences: [{ ...owner, uid: metadata.uid!, controller: true }],
      },
      data: { "tls.crt": btoa(made.certificate), "tls.key": btoa(made.key) },
    }, { fieldManager: "manager" });
    await scene.start();
    await scene.service("demo");
    // An older program that comes back finds its key, and nothing was issued anew.
    expect(await scene.text(shownIn("demo"), "tls.key")).toBe(made.key);
    expect((await scene.store.get(shownIn("demo")))?.metadata.labels).toMatchObject(AUTHORITY_LABEL);
    expect(await scene.store.get(keyOf("demo"))).toBeUndefined();
    const before = await scene.secret(LEAF);
    expect(signerOf(before!.leaf, [made.facts])).toBeDefined();

    scene.crashAt = crashAt;
    await scene.rotate();
    for (let minute = 0; minute < 3; minute++) {
      scene.clock.advance(60_000);
      await scene.settle();
    }
    await scene.start();
    await scene.until("Retire");
    const [leaf, ca] = [await scene.secret(LEAF), await scene.secret(keyOf("demo"))];
    expect([crashAt, signerOf(leaf!.leaf, [ca!.leaf])?.fingerprint]).toEqual([crashAt, ca!.leaf.fingerprint]);
    expect(leaf!.trusted.map(({ fingerprint }) => fingerprint).sort())
      .toEqual([made.facts.fingerprint, ca!.leaf.fingerprint].sort());
    expect(await scene.text(shownIn("demo"), "tls.key")).toBeUndefined();
    expect(await scene.text(shownIn("demo"), "tls.crt")).toBe(ca!.leaf.pem);
    const names = (await scene.store.list("Secret")).items.map((one) =>
      `${one.metadata.namespace}/${one.metadata.name}`
    );
    expect(names).toEqual([`${KEYS}/chancery-ca.demo.ca`, "demo/ca", "demo/leaf"]);
    expect(await scene.store.get({ kind: "DiscoveryService", namespace: "demo", name: "ds" })).toMatchObject({
      metadata: { uid },
    });
  });
}

Deno.test("S3: a key goes with its DiscoveryService, also when nobody was there to see it go", async () => {
  const service: ObjectKey = { kind: "DiscoveryService", namespace: "demo", name: "ds" };
  for (const watched of [true, false]) {
    await using scene = new KeyScene();
    await scene.start();
    await scene.service();
    await scene.service("other");
    const certificate = await scene.text(keyOf("demo"), "tls.crt");
    if (!watched) await scene.end();
    await scene.store.remove(service);
    if (watched) await scene.settle();
    else await scene.start();
    expect(await scene.store.get(keyOf("demo"))).toBeUndefined();
    expect(await scene.text(keyOf("other"), "tls.key")).toContain("PRIVATE KEY");
    // One that is made again under its name has a CA of its own.
    await scene.service();
    expect(await scene.text(keyOf("demo"), "tls.crt")).not.toBe(certificate);
    expect(await scene.status("ca")).toMatchObject({ ready: true });
    expect(scene.errors).toEqual([]);
  }
});

Deno.test("S3: what another DiscoveryService of the name has left is never signed with, even before it is swept", async () => {
  await using scene = new KeyScene();
  await scene.start();
  const uid = await scene.service();
  const certificate = await scene.text(keyOf("demo"), "tls.crt");
  await scene.end();
  await scene.store.remove({ kind: "DiscoveryService", namespace: "demo", name: "ds" });
  const again = await scene.service();
  expect(again).not.toBe(uid);
  await scene.start();
  expect(await scene.text(keyOf("demo"), "tls.crt")).not.toBe(certificate);
  expect(signerOf((await scene.secret(LEAF))!.leaf, [(await scene.secret(keyOf("demo")))!.leaf])).toBeDefined();
});

Deno.test("S3: a certificate of the CA that is deleted and made again keeps its key", async () => {
  await using scene = new KeyScene();
  await scene.start();
  const uid = await scene.service();
  const certificate = await scene.text(keyOf("demo"), "tls.crt");
  await scene.store.remove({ kind: "DiscoveryServiceCertificate", namespace: "demo", name: "ca" });
  await scene.settle();
  expect(await scene.text(keyOf("demo"), "tls.crt")).toBe(certificate);
  await scene.authority(uid);
  expect(await scene.text(shownIn("demo"), "tls.crt")).toBe(certificate);
  expect(await scene.status("ca")).toMatchObject({ ready: true, rotation: { phase: "Stable" } });
});

Deno.test("A3: a key that is lost is followed by another one that everybody is told of first", async () => {
  await using scene = new KeyScene();
  await scene.start();
  await scene.service();
  const lost = (await scene.secret(keyOf("demo")))!.leaf;
  const before = (await scene.secret(LEAF))!.leaf;
  await scene.store.remove(keyOf("demo"));
  await scene.settle();
  expect(await scene.phase()).toBe("Trust");
  const told = await scene.secret(LEAF);
  expect([told!.leaf.fingerprint, told!.trusted.length]).toEqual([before.fingerprint, 2]);
  await scene.until("Retire");
  const [ca, leaf] = [await scene.secret(keyOf("demo")), await scene.secret(LEAF)];
  expect(ca!.leaf.fingerprint).not.toBe(lost.fingerprint);
  expect(signerOf(leaf!.leaf, [ca!.leaf])).toBeDefined();
  expect(await scene.text(shownIn("demo"), "tls.crt")).toBe(ca!.leaf.pem);
});

Deno.test("C6: what somebody else keeps in the place of a key, or of the CA, is left alone and told of", async () => {
  await using scene = new KeyScene();
  const { namespace, name } = keyOf("demo");
  const data = { a: btoa("b") };
  const foreign = { apiVersion: "v1", kind: "Secret", metadata: { namespace, name }, data };
  await scene.store.apply(foreign, { fieldManager: "user" });
  await scene.start();
  await scene.service();
  expect((await scene.store.get(keyOf("demo")))?.["data"]).toEqual(data);
  expect(scene.errors.join()).toContain("it belongs to somebody else");
  await scene.store.remove(keyOf("demo"));
  scene.clock.advance(60_000);
  await scene.settle();
  expect(await scene.status("ca")).toMatchObject({ ready: true });

  await scene.store.remove(shownIn("demo"));
  await scene.end();
  await scene.store.apply({ ...foreign, metadata: shownIn("demo") }, { fieldManager: "user" });
  await scene.start();
  expect((await scene.store.get(shownIn("demo")))?.["data"]).toEqual(data);
  const { ready, conditions = [] } = await scene.status("ca");
  expect([ready, conditions.find(({ type }) => type === "UpToDate")?.reason]).toEqual([true, "SecretNotOwned"]);
});

Deno.test("a CA that a user brings along signs with the key that the user keeps", async () => {
  await using scene = new KeyScene();
  const own = await issueCertificate({
    ...{ commonName: "mine", names: { dns: [], ips: [], uris: [] }, isCA: true, server: false },
    ...{ validFor: 100 * HOUR, algorithm: "ECDSA-P256" },
  }, { now: scene.clock.now(), random: (count) => crypto.getRandomValues(new Uint8Array(count)) });
  await scene.store.apply({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { namespace: "demo", name: "ca" } },
    data: { "tls.crt": btoa(own.certificate), "tls.key": btoa(own.key) },
  }, { fieldManager: "user" });
  await scene.start();
  await scene.service();
  expect(await scene.store.get(keyOf("demo"))).toBeUndefined();
  expect(signerOf((await scene.secret(LEAF))!.leaf, [own.facts])).toBeDefined();
});
