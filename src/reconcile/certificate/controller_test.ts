import { expect } from "expect";
import type {
  DiscoveryServiceCertificate,
  DiscoveryServiceCertificateSpec,
  DiscoveryServiceCertificateStatus,
} from "../../api/operator/mod.ts";
import { OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { ChanceryError, ManualClock, type ObjectKey } from "../../base/mod.ts";
import { openMemoryStore } from "../../store/mod.ts";
import { readPair, signerOf } from "../../pki/crypto/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { OwnedStore } from "../engine/owned_store.ts";
import { CertificateController } from "./controller.ts";
import { bytesIn } from "./secret_readings.ts";

const CA: ObjectKey = { kind: "Secret", namespace: "demo", name: "ca" };
const LEAF: ObjectKey = { kind: "Secret", namespace: "demo", name: "leaf" };
const SELF = { signer: { selfSigned: {} } };
const BY_CA = { signer: { caSigned: { caSecretRef: { name: "ca", namespace: "demo" } } } };

/** A namespace of certificates on a manual clock, and a controller that can end at any write. */
class Scene implements AsyncDisposable {
  readonly clock = new ManualClock(Date.parse("2026-03-04T05:06:07Z"));
  readonly store = openMemoryStore({ clock: this.clock });
  readonly errors: string[] = [];
  writes = 0;
  /** The process ends instead of this one of its writes, counted from now. */
  crashAt = Infinity;
  controller: CertificateController | undefined;
  #stop = new AbortController();

  /** Starts the process, again after it ended. */
  async start(): Promise<void> {
    this.#stop.abort();
    await this.controller?.controller.idle();
    const stop = this.#stop = new AbortController();
    this.crashAt = Infinity;
    this.controller = new CertificateController({
      store: this.#storeOf(stop),
      leading: () => !stop.signal.aborted,
      clock: this.clock,
      random: () => 0,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      strictIssuers: false,
      onError: (_about, { message }) => this.errors.push(message),
    });
    await this.controller.controller.start(stop.signal);
    await this.settle();
  }

  async want(name: string, spec: Partial<DiscoveryServiceCertificateSpec>): Promise<void> {
    const object = {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryServiceCertificate",
      metadata: { name, namespace: "demo" },
      spec: { commonName: name, validFor: 100, secretRef: { name }, ...spec },
    };
    await this.store.apply(object, { fieldManager: "user", force: true });
    await this.settle();
  }

  /** Lets the time pass, a second at a time, as far as anything waits for it. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.clock.advance(1000);
      await this.settle();
    }
  }

  /** Waits until nothing is left to do now. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; quiet++) {
      await this.controller?.controller.idle();
      await new Promise((resolve) => setTimeout(resolve));
      const before = this.writes;
      this.clock.advance(20); // what was overtaken by another write comes back after some
      await this.controller?.controller.idle();
      if (this.writes !== before) quiet = 0;
    }
  }

  async status(name: string): Promise<DiscoveryServiceCertificateStatus> {
    const key = { kind: "DiscoveryServiceCertificate", namespace: "demo", name };
    const object = await this.store.get(key) as unknown as DiscoveryServiceCertificate; // by its kind
    return object.status ?? {};
  }

  async secret(key: ObjectKey) {
    const secret = await this.store.get(key) as WatchedObject | undefined;
    const reading = secret && readPair((name) => bytesIn(secret, name));
    if (reading?.kind !== "pair") return undefined;
    return { leaf: reading.chain[0], trusted: reading.trusted ?? [], keyMatches: reading.keyMatches };
  }

  #storeOf(stop: AbortController): OwnedStore {
    const { store } = this;
    const write = <T>(run: () => Promise<T>): Promise<T> => {
      if (stop.signal.aborted || --this.crashAt < 0) {
        stop.abort();
        return Promise.reject(new ChanceryError("unavailable", "the process has ended"));
      }
      this.writes++;
      return run();
    };
    return {
      get: (key) => store.get(key) as Promise<WatchedObject | undefined>,
      watch: (kinds, onEvent, options) => store.watch(kinds, (event) => onEvent(event as never), options),
      apply: (object, options) => write(() => store.apply(object, options) as Promise<never>),
      updateStatus: (key, status, options) => write(() => store.updateStatus(key, status, options) as Promise<never>),
      remove: (key, options) => write(() => store.remove(key, options)),
      record: (event) => store.record(event),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.controller?.controller.idle();
    await (this.store as Partial<AsyncDisposable>)[Symbol.asyncDispose]?.();
  }
}

Deno.test("a certificate is issued, told, and settled: what follows writes nothing", async () => {
  await using scene = new Scene();
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
  await using scene = new Scene();
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
  await using scene = new Scene();
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
  await using scene = new Scene();
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
  await using scene = new Scene();
  await scene.start();
  await scene.want("leaf", { ...SELF, validFor: 0 });
  expect(await scene.store.get(LEAF)).toBeUndefined();
  const { conditions = [] } = await scene.status("leaf");
  expect(conditions.find(({ type }) => type === "UpToDate")?.reason).toBe("InvalidSpec");
});

Deno.test("C6: a Secret of somebody else is left as it is, whatever it holds", async () => {
  await using scene = new Scene();
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
    await using scene = new Scene();
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
