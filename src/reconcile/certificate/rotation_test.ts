import { expect } from "expect";
import { type Secret, secretBytes } from "../../api/mod.ts";
import {
  bundleOf,
  type DiscoveryServiceCertificate,
  type DiscoveryServiceCertificateStatus,
  nextSecretOf,
  OPERATOR_API_VERSION,
} from "../../api/operator/mod.ts";
import { issueCertificate, readCertificates, readPair, signerOf } from "../../pki/crypto/mod.ts";
import {
  bundleName,
  type CertificateFacts,
  certificateHash,
  rememberSigning,
  type SignedLeaf,
  validityOf,
} from "../../pki/mod.ts";
import type { StatedObject } from "../engine/object_source.ts";
import type { FoundSecret } from "./inputs.ts";
import { bundleObject, issuedSecret, pemOf } from "./objects.ts";
import { type AuthorityPlan, planAuthority } from "./plan_authority.ts";
import { planCertificate } from "./plan.ts";
import { readRotation, writeRotation } from "./rotation_status.ts";

const CA_S = 20_000;
const LEAF_S = 4000;
/** Between the renewal and the end of what the CA signs. In milliseconds. */
const RENEWAL_MS = 3_300_000;
const TRUST_DELAY_MS = 300_000;

/** A namespace with real keys and certificates, and whoever carries out the plans; all that is kept is what a cluster keeps. */
class Namespace {
  now = Date.UTC(2026, 0, 1);
  readonly ca = new Map<"object", DiscoveryServiceCertificate>([[
    "object",
    certificate("ca", { isCA: true, validFor: CA_S }),
  ]]);
  readonly leaves = new Map(
    ["server", "client"].map((
      name,
    ) => [name, certificate(name, { server: name === "server", validFor: LEAF_S, signer: SIGNER })]),
  );
  readonly objects = new Map<string, StatedObject>();
  /** What each replica of the discovery service says it trusts. */
  readonly servers = new Map<string, string>();
  readonly phases: string[] = [];
  writes = 0;

  get authority(): DiscoveryServiceCertificate {
    return this.ca.get("object")!;
  }

  /** Everything that there is to do now, a write at a time. */
  async settle(check: () => void): Promise<void> {
    for (let writes = this.writes - 1; writes !== this.writes;) {
      writes = this.writes;
      await this.changeAuthority();
      check();
      for (const name of this.leaves.keys()) {
        await this.issue(name);
        check();
      }
    }
  }

  async changeAuthority(): Promise<void> {
    const plan = this.plan();
    const object = this.authority;
    if (plan.status) this.#keep(object, plan.status, (kept) => this.ca.set("object", kept));
    const phase = this.authority.status?.rotation?.phase;
    if (phase && this.phases.at(-1) !== phase) this.phases.push(phase);
    const roots = this.roots();
    const bundle = plan.bundle.map((fingerprint) => roots.get(fingerprint)!);
    switch (plan.step.do) {
      case "create":
      case "create-next": {
        const next = plan.step.do === "create-next";
        const pair = await issueCertificate(plan.wanted, { now: this.now, random });
        this.#put(issuedSecret(object, { pair, bundle: [...bundle, pair.facts], over: undefined, next }));
        break;
      }
      case "publish":
        this.#put(bundleObject(object, bundle));
        break;
      case "promote": {
        const next = this.objects.get(nextSecretOf("ca"))!;
        this.#put({ ...next, metadata: { ...next.metadata, name: "ca" } });
        break;
      }
      case "remove-next":
        this.objects.delete(nextSecretOf("ca"));
        this.writes++;
        break;
    }
    if (plan.complete) this.#complete("ca", bundle);
  }

  plan(): AuthorityPlan {
    const published = this.objects.get(bundleOf("ca"));
    return planAuthority({
      now: this.now,
      object: this.authority,
      secret: this.#found("ca"),
      next: this.#found(nextSecretOf("ca")),
      shown: undefined,
      published: published && certificatesIn(published).map(({ fingerprint }) => fingerprint),
      known: [...this.#told().values()],
      leaves: [...this.leaves.keys()].flatMap((name): SignedLeaf[] => {
        const found = this.#found(name);
        if (found?.reading.kind !== "pair") return [];
        const { chain: [{ notAfter }], trusted = [] } = found.reading;
        return [{
          name,
          signer: found.signer?.fingerprint,
          notAfter,
          trusted: trusted.map((one) => one.fingerprint),
          ours: true,
        }];
      }),
      servers: [...this.servers].map(([name, bundle]) => ({ name, bundle })),
      trustDelayMs: TRUST_DELAY_MS,
    });
  }

  async issue(name: string): Promise<void> {
    const object = this.leaves.get(name)!;
    const authority = this.plan();
    const ca = this.#found("ca");
    const root = ca?.reading.kind === "pair" ? ca.reading.chain[0] : undefined;
    const roots = this.roots();
    const bundle = authority.bundle.map((fingerprint) => roots.get(fingerprint)!);
    const plan = planCertificate({
      ...{
        now: this.now,
        object,
        secret: this.#found(name),
        permission: "same-namespace",
        strictIssuers: false,
        bundle,
      },
      issuer: root && authority.signs
        ? { kind: "usable", certificate: root, trusted: authority.trusted }
        : { kind: "unusable", reason: "IssuerNotReady", problem: "The CA is being made or changed" },
    });
    if (plan.status) this.#keep(object, plan.status, (kept) => this.leaves.set(name, kept));
    if (plan.secret.do === "complete") this.#complete(name, plan.secret.bundle);
    if (plan.secret.do !== "issue" || !root) return;
    const { notAfter } = validityOf(plan.secret.wanted, { now: this.now, issuer: root });
    const rotation = readRotation(this.authority.status?.rotation)!;
    const remembered = rememberSigning(rotation, { notAfter, validFor: LEAF_S, root });
    if (remembered) {
      const status = { ...this.authority.status, rotation: writeRotation(remembered) };
      this.#keep(this.authority, status, (kept) => this.ca.set("object", kept));
    }
    const secret = this.objects.get("ca") as unknown as Secret;
    const issuer = { certificate: secretBytes(secret, "tls.crt")!, key: secretBytes(secret, "tls.key")! };
    const pair = await issueCertificate(plan.secret.wanted, { now: this.now, random, issuer });
    this.#put(issuedSecret(object, { pair, bundle, over: undefined }));
  }

  /** Whoever shows a certificate is trusted by everybody; by real signatures, not by what anybody says of them. */
  check(): void {
    for (const name of this.leaves.keys()) {
      const found = this.#found(name);
      if (found?.reading.kind !== "pair") continue;
      const leaf = found.reading.chain[0];
      for (const other of [...this.leaves.keys(), bundleOf("ca")]) {
        const trusting = this.objects.get(other);
        if (!trusting) continue;
        const signer = signerOf(leaf, certificatesIn(trusting));
        expect({ name, other, trusted: signer !== undefined }).toEqual({ name, other, trusted: true });
      }
    }
  }

  /** Each CA that can be found, as a successor that nobody was told of can. */
  roots(): Map<string, CertificateFacts> {
    const all = this.#told();
    for (const name of ["ca", nextSecretOf("ca")]) {
      const found = this.objects.get(name);
      const root = found && certificatesIn(found, "tls.crt")[0];
      if (root) all.set(root.fingerprint, root);
    }
    return all;
  }

  #told(): Map<string, CertificateFacts> {
    const holders = [bundleOf("ca"), ...this.leaves.keys()].flatMap((name) => this.objects.get(name) ?? []);
    return new Map(holders.flatMap((one) => certificatesIn(one)).map((one) => [one.fingerprint, one]));
  }

  #found(name: string): FoundSecret | undefined {
    const object = this.objects.get(name);
    if (!object) return undefined;
    const secret = object as unknown as Secret;
    const reading = readPair((key) => secretBytes(secret, key));
    const leaf = reading.kind === "pair" ? reading.chain[0] : undefined;
    const pem = secretBytes(secret, "tls.crt");
    return {
      metadata: object.metadata,
      reading,
      signer: leaf && signerOf(leaf, [...this.roots().values()]),
      hash: pem && certificateHash(pem),
    };
  }

  #complete(name: string, bundle: readonly CertificateFacts[]): void {
    const object = this.objects.get(name)!;
    const data = { ...object.data as object, "ca.crt": btoa(pemOf(bundle)) };
    this.#put({ ...object, data });
  }

  #put(object: StatedObject): void {
    this.objects.set(object.metadata.name, JSON.parse(JSON.stringify(object)));
    this.writes++;
  }

  #keep(
    object: DiscoveryServiceCertificate,
    status: DiscoveryServiceCertificateStatus,
    keep: (object: DiscoveryServiceCertificate) => void,
  ): void {
    keep({ ...object, status: JSON.parse(JSON.stringify(status)) });
    this.writes++;
  }
}

const SIGNER = { caSigned: { caSecretRef: { name: "ca", namespace: "ns" } } };

function certificate(name: string, spec: Partial<DiscoveryServiceCertificate["spec"]>): DiscoveryServiceCertificate {
  return {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    metadata: { name, namespace: "ns", uid: `${name}-uid`, generation: 1 },
    spec: { commonName: name, validFor: 1, signer: {}, secretRef: { name }, ...spec },
  };
}

/** What was read before; reading is what takes time here. */
const read = new Map<string, CertificateFacts[]>();

function certificatesIn(object: StatedObject, key = "ca.crt"): CertificateFacts[] {
  const bytes = object.kind === "ConfigMap"
    ? new TextEncoder().encode((object.data as Record<string, string>)[key])
    : secretBytes(object as unknown as Secret, key);
  const text = new TextDecoder().decode(bytes);
  const found = read.get(text) ?? ((bytes && readCertificates(bytes)) ?? []);
  read.set(text, found);
  return found;
}

function random(count: number): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(count));
}

Deno.test("A3: a CA is changed by real keys, step by step, and at each of them everybody trusts everybody", async () => {
  const namespace = new Namespace();
  const check = () => namespace.check();
  await namespace.settle(check);
  const first = namespace.authority.status!.rotation!.current;
  expect(namespace.leaves.get("server")!.status).toMatchObject({ ready: true });

  const end = namespace.now + CA_S * 1000;
  while (namespace.now < end - CA_S * 200) {
    namespace.now += RENEWAL_MS;
    await namespace.settle(check);
  }
  namespace.now += TRUST_DELAY_MS;
  await namespace.settle(check);
  expect(namespace.phases).toEqual(["Stable", "Trust", "Sign", "Retire"]);
  const rotation = namespace.authority.status!.rotation!;
  expect(rotation).toMatchObject({ earlier: [{ fingerprint: first }] });
  expect(rotation.current).not.toBe(first);

  while (namespace.now < end + RENEWAL_MS) {
    namespace.now += RENEWAL_MS;
    await namespace.settle(check);
  }
  expect(namespace.phases).toEqual(["Stable", "Trust", "Sign", "Retire", "Stable"]);
  expect(namespace.plan().bundle).toEqual([rotation.current]);

  const { writes } = namespace;
  await namespace.settle(check);
  expect(namespace.writes).toBe(writes); // settled, it writes nothing
});

Deno.test("A3: a replica that reads late holds the change up, one that is gone does not", async () => {
  const namespace = new Namespace();
  const check = () => namespace.check();
  await namespace.settle(check);
  namespace.servers.set("replica-0", bundleName(namespace.plan().bundle));
  namespace.now += CA_S * 810;
  await namespace.settle(check);
  namespace.now += TRUST_DELAY_MS;
  await namespace.settle(check);
  expect(namespace.phases).toEqual(["Stable", "Trust"]);
  expect(namespace.plan().step).toMatchObject({ do: "wait", for: ["replica-0"] });
  namespace.servers.delete("replica-0");
  await namespace.settle(check);
  expect(namespace.phases).toEqual(["Stable", "Trust", "Sign", "Retire"]);
});

Deno.test("A3: a lost CA is followed by one that everybody was told of before", async () => {
  const namespace = new Namespace();
  const check = () => namespace.check();
  await namespace.settle(check);
  const first = namespace.authority.status!.rotation!.current;
  namespace.objects.delete("ca");
  await namespace.settle(check);
  expect(namespace.authority.status).toMatchObject({ ready: false, rotation: { phase: "Trust", current: first } });
  expect(namespace.plan().bundle).toHaveLength(2);
  namespace.now += TRUST_DELAY_MS;
  await namespace.settle(check);
  expect(namespace.authority.status).toMatchObject({ ready: true, rotation: { phase: "Retire" } });
  expect(namespace.authority.status!.rotation!.current).not.toBe(first);
});
