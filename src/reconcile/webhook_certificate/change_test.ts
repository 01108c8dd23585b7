import { expect } from "expect";
import { FAILURE_POLICY_ANNOTATION } from "../../api/mod.ts";
import * as fc from "fast-check";
import { formatKey, ManualClock, type ObjectKey } from "../../base/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { readCertificates, signerOf } from "../../pki/crypto/mod.ts";
import { OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import type { StatedObject, WatchedObject } from "../engine/object_source.ts";
import { WebhookCertificateController } from "./controller.ts";
import { nextKey, secretKey, type WebhookPlace } from "./gather.ts";
import { SETTLE_MS } from "./plan.ts";

const PLACE: WebhookPlace = {
  service: { namespace: "chancery", name: "webhook" },
  secret: "tls",
  configurations: { mutating: "mutating", validating: "validating" },
};
const KINDS = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"] as const;
const DAY = 86_400_000;
/** What a replica tells is known to others so much later at most, and what a volume holds is so old at most. */
const REPORT_LAG_MS = 20_000;
const VOLUME_LAG_MS = 90_000;
const RETIRE_MS = 120_000;

interface Webhook {
  readonly name: string;
  readonly clientConfig: { readonly caBundle?: string; readonly service?: object; readonly url?: string };
  readonly failurePolicy?: string;
}

/** A cluster in which nothing happens but what a test does: API servers and volumes lag, the manager dies at any write. */
class World {
  readonly clock = new ManualClock(Date.UTC(2026, 0, 1));
  /** The API servers' clock runs with ours, this much ahead. */
  skewMs = 0;
  readonly objects = new Map<string, WatchedObject>();
  /** What each API server knows of the configurations: PEM texts. */
  readonly apiServers = [new Map<string, string>(), new Map<string, string>()];
  /** What each replica shows, and what others know that it shows. */
  readonly replicas = new Map<string, { shows: string; told: string | undefined }>();
  readonly steps: string[] = [];
  /** Writes until the manager dies, before or after the last one. */
  fuse: { writes: number; after: boolean } | undefined;
  readonly #running: { controller: WebhookCertificateController; stop: AbortController; dead: boolean }[] = [];
  readonly #judged = new Map<string, boolean>();
  #version = 1;

  async [Symbol.asyncDispose]() {
    for (const { stop, controller } of this.#running) {
      stop.abort();
      await controller.idle();
    }
  }

  /** A new life of the manager; the one before is dead. */
  async restart(): Promise<void> {
    for (const run of this.#running) {
      run.dead = true;
      run.stop.abort();
      await run.controller.idle();
    }
    this.fuse = undefined;
    const stop = new AbortController();
    const run = { stop, dead: false } as {
      stop: AbortController;
      dead: boolean;
      controller: WebhookCertificateController;
    };
    run.controller = new WebhookCertificateController({
      place: PLACE,
      store: {
        watch: () => Promise.resolve(), // whoever is told nothing looks all the same
        get: (key) => Promise.resolve(this.objects.get(formatKey(key))),
        apply: (object, { force }) => this.#write(run, () => this.#apply(object, force ?? false)),
        patch: (key, values, { resourceVersion }) => this.#write(run, () => this.#patch(key, values, resourceVersion)),
        remove: (key, { uid } = {}) => this.#write(run, () => this.#remove(key, uid)),
      },
      leading: () => !run.dead,
      clock: this.clock,
      retireMs: RETIRE_MS,
      serverTime: () => Promise.resolve(this.time),
      replicas: () =>
        Promise.resolve(
          [...this.replicas].flatMap(([name, { told }]) => told === "" ? [] : [{ name, certificate: told }]),
        ),
      random: () => 0.5,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
      onStep: (step) => this.steps.push(step.do === "issue" ? `issue ${step.as}` : step.do),
      onPlan: () => {},
      onError: () => {},
    });
    this.#running.push(run);
    await run.controller.start(stop.signal);
    run.controller.lookAtAll();
    await this.settle();
  }

  get controller(): WebhookCertificateController {
    return this.#running.at(-1)!.controller; // one was started
  }

  get time(): number {
    return this.clock.now() + this.skewMs;
  }

  /** Everything that can be done now is done. */
  async settle(): Promise<void> {
    for (let before = -1; before !== this.#version;) {
      before = this.#version;
      await this.controller.idle();
      this.clock.advance(0);
      await this.controller.idle();
      if (this.#running.at(-1)!.dead) await this.restart();
    }
    this.check();
  }

  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  configure(kind: string, webhook: Partial<Webhook> = {}, metadata: object = {}): void {
    const name = kind === KINDS[0] ? "mutating" : "validating";
    const service = { namespace: "chancery", name: "webhook" };
    this.put({
      ...{ apiVersion: "admissionregistration.k8s.io/v1", kind },
      metadata: { name, uid: crypto.randomUUID(), ...metadata },
      webhooks: [{ name: "a", clientConfig: { service }, failurePolicy: "Ignore", ...webhook }],
    } as unknown as WatchedObject);
    for (const server of this.apiServers) server.set(kind, this.bundle(kind));
  }

  put(object: WatchedObject): WatchedObject {
    const namespace = object.metadata.namespace ?? "";
    const metadata = { ...object.metadata, resourceVersion: String(++this.#version) };
    const stored = { ...object, metadata };
    this.objects.set(formatKey({ kind: object.kind, namespace, name: metadata.name }), stored);
    return stored;
  }

  get(key: ObjectKey): WatchedObject | undefined {
    return this.objects.get(formatKey(key));
  }

  webhook(kind: string): Webhook {
    const key = { kind, namespace: "", name: kind === KINDS[0] ? "mutating" : "validating" };
    return (this.get(key) as unknown as { webhooks: Webhook[] }).webhooks[0]!; // as configured
  }

  /** PEM of what a configuration trusts. */
  bundle(kind: string): string {
    return text(this.webhook(kind).clientConfig.caBundle ?? "");
  }

  /** What the Secret says now. */
  pem(part: string): string {
    const { data } = this.get(secretKey(PLACE)) as unknown as { data: Record<string, string> }; // a Secret
    return text(data[part] ?? "");
  }

  /** One API server learns what the configurations are. */
  learn(index: number): void {
    for (const kind of KINDS) this.apiServers[index]!.set(kind, this.bundle(kind));
  }

  /** A replica reads its volume. */
  read(name: string): void {
    const told = this.replicas.get(name)?.told;
    if (this.get(secretKey(PLACE))) this.replicas.set(name, { shows: this.pem("tls.crt"), told });
  }

  /** Others learn what a replica shows. */
  report(name: string): void {
    const replica = this.replicas.get(name);
    if (replica) replica.told = fingerprint(replica.shows);
  }

  rotate(): void {
    const secret = this.get(secretKey(PLACE));
    if (!secret) return;
    const annotations = { [OPERATOR_ANNOTATIONS.rotate]: fingerprint(this.pem("tls.crt")) };
    this.put({ ...secret, metadata: { ...secret.metadata, annotations } });
    this.controller.lookAtAll();
  }

  /** Every API server trusts what every replica shows. */
  check(): void {
    for (const [name, { shows }] of this.replicas) {
      const [leaf] = certificates(shows);
      for (const [index, known] of this.apiServers.entries()) {
        for (const [kind, pem] of known) {
          const trusted = this.#judged.get(shows + pem) ?? (leaf && signerOf(leaf, certificates(pem)) !== undefined);
          this.#judged.set(shows + pem, trusted ?? false);
          if (!trusted) {
            throw new Error(`API server ${index} refuses ${name} by ${kind} after ${this.steps.join(", ")}`);
          }
        }
      }
    }
  }

  #write<T>(run: { dead: boolean }, write: () => T): Promise<T> {
    if (run.dead) return Promise.reject(new ChanceryError("unavailable", "dead"));
    if (this.fuse && --this.fuse.writes < 0) {
      run.dead = true;
      if (this.fuse.after) write();
      return Promise.reject(new ChanceryError("unavailable", "dead"));
    }
    try {
      return Promise.resolve(write());
    } catch (thrown) {
      return Promise.reject(thrown);
    }
  }

  #apply(stated: StatedObject, force: boolean): WatchedObject {
    const { kind, metadata: { namespace = "", name, uid, resourceVersion } } = stated;
    const before = this.get({ kind, namespace, name });
    if (resourceVersion !== undefined && before?.metadata.resourceVersion !== resourceVersion) throw conflict();
    if (uid !== undefined && before?.metadata.uid !== uid) throw conflict();
    if (before && !force) throw conflict();
    const metadata = { ...before?.metadata, ...stated.metadata, uid: before?.metadata.uid ?? crypto.randomUUID() };
    return this.put({ ...before, ...stated, metadata } as WatchedObject);
  }

  #patch(key: ObjectKey, values: readonly { path: string; value: unknown }[], resourceVersion: string): WatchedObject {
    const before = this.get(key);
    if (before?.metadata.resourceVersion !== resourceVersion) throw conflict();
    const object = structuredClone(before);
    for (const { path, value } of values) {
      const fields = path.slice(1).split("/");
      const last = fields.pop()!;
      // deno-lint-ignore no-explicit-any -- any object, by a path
      const parent = fields.reduce((at: any, field) => at[field], object);
      parent[last] = value;
    }
    return this.put(object);
  }

  #remove(key: ObjectKey, uid: string | undefined): boolean {
    const before = this.get(key);
    if (before && before.metadata.uid !== uid) throw conflict();
    this.#version++;
    return this.objects.delete(formatKey(key));
  }
}

function conflict(): ChanceryError {
  return new ChanceryError("conflict", "Cannot write: it is another one by now");
}

function text(base64: string): string {
  return new TextDecoder().decode(Uint8Array.fromBase64(base64));
}

function certificates(pem: string) {
  return readCertificates(new TextEncoder().encode(pem)) ?? [];
}

function fingerprint(pem: string): string {
  return certificates(pem)[0]?.fingerprint ?? "none";
}

/** An installation with two replicas in which everybody knows everything. */
async function installed(): Promise<World> {
  const world = new World();
  for (const kind of KINDS) world.configure(kind, {}, { annotations: { [FAILURE_POLICY_ANNOTATION]: "Fail" } });
  await world.restart();
  for (const index of [0, 1]) world.learn(index);
  for (const name of ["one", "two"]) {
    world.read(name);
    world.report(name);
  }
  await world.pass(10_000);
  return world;
}

Deno.test("O8: an installation gets its Secret, then its trust, and refuses failures only once a replica shows the certificate", async () => {
  await using world = new World();
  for (const kind of KINDS) world.configure(kind, {}, { annotations: { [FAILURE_POLICY_ANNOTATION]: "Fail" } });
  await world.restart();
  expect(world.steps).toEqual(["issue first", "trust"]);
  expect(world.webhook(KINDS[0]).failurePolicy).toBe("Ignore");
  for (const index of [0, 1]) world.learn(index);
  world.read("one");
  await world.pass(10_000);
  expect(world.webhook(KINDS[0]).failurePolicy).toBe("Ignore");
  world.report("one");
  await world.pass(10_000);
  expect(world.steps).toEqual(["issue first", "trust", "require"]);
  expect(KINDS.map((kind) => world.webhook(kind).failurePolicy)).toEqual(["Fail", "Fail"]);
  await world.pass(DAY);
  expect(world.steps).toHaveLength(3);
});

Deno.test("a configuration that comes later, or whose caBundle somebody edits, is told what to trust", async () => {
  await using world = new World();
  world.configure(KINDS[0]);
  await world.restart();
  world.configure(KINDS[1], { failurePolicy: "Ignore" });
  await world.pass(30_000);
  expect(world.bundle(KINDS[1])).toBe(world.bundle(KINDS[0]));
  for (const caBundle of ["", btoa("nonsense")]) {
    world.configure(KINDS[1], { clientConfig: { service: { namespace: "chancery", name: "webhook" }, caBundle } });
    await world.pass(30_000);
    expect(world.bundle(KINDS[1])).toBe(world.bundle(KINDS[0]));
  }
  expect(world.webhook(KINDS[1]).failurePolicy).toBe("Ignore"); // nobody asked for anything else
  expect(world.steps.filter((step) => step.startsWith("issue"))).toEqual(["issue first"]);
});

Deno.test("a change goes by trust, Secret and replicas, and ends with one root", async () => {
  await using world = await installed();
  const before = world.pem("tls.crt");
  world.rotate();
  await world.settle();
  expect(world.steps.slice(3)).toEqual(["issue next", "trust"]);
  expect(world.pem("tls.crt")).toBe(before);
  await world.pass(SETTLE_MS - 1_000);
  for (const index of [0, 1]) world.learn(index);
  await world.pass(1_000);
  expect(world.steps.slice(5)).toEqual(["promote", "discard"]);
  expect(world.get(nextKey(PLACE))).toBeUndefined();
  for (const name of ["one", "two"]) {
    await world.pass(300_000);
    expect(certificates(world.bundle(KINDS[0]))).toHaveLength(2); // not everybody shows it
    world.read(name);
    world.report(name);
  }
  await world.pass(1_000);
  for (let passed = 0; passed < 130_000; passed += 10_000) await world.pass(10_000);
  expect(world.steps.slice(7)).toEqual(["remember", "trust"]);
  expect(certificates(world.bundle(KINDS[0]))).toHaveLength(1);
});

Deno.test("who else keeps caBundle is left alone", async () => {
  const others = [
    { annotations: { "cert-manager.io/inject-ca-from": "chancery/webhook" } },
    { labels: { "olm.managed": "true" } },
  ];
  for (const metadata of others) {
    await using world = new World();
    world.configure(KINDS[0], {}, metadata);
    await world.restart();
    await world.pass(DAY);
    expect(world.steps).toEqual([]);
    expect(world.controller.plan?.leftTo).toBeDefined();
  }
});

Deno.test("C6: a Secret of somebody else, or a broken one, is reported and left alone", async () => {
  const labels = { "app.kubernetes.io/managed-by": "chancery", "chancery.dev/role": "webhook-certificate" };
  for (const metadata of [{ labels: {} }, { labels }]) {
    await using world = new World();
    world.configure(KINDS[0]);
    const { namespace, name } = secretKey(PLACE);
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { ...metadata, namespace, name, uid: "1" } };
    world.put({ ...secret, data: { "tls.crt": btoa("nonsense"), "tls.key": btoa("nonsense") } });
    await world.restart();
    await world.pass(DAY);
    expect(world.steps).toEqual([]);
    expect(world.controller.plan?.problem).toContain("delete");
  }
});

Deno.test("what another Service is called for is not touched", async () => {
  await using world = new World();
  const service = { namespace: "marin3r-system", name: "marin3r-webhook-service" };
  world.configure(KINDS[0], { clientConfig: { service, caBundle: btoa("theirs") } });
  await world.restart();
  expect(world.bundle(KINDS[0])).toBe("theirs");
});

Deno.test("a certificate is changed in time, whatever our own clock says", async () => {
  await using world = await installed();
  const first = world.pem("tls.crt");
  world.clock.advance(200 * DAY);
  await world.settle();
  expect(world.pem("tls.crt")).toBe(first);
  world.skewMs = 200 * DAY; // the API servers' clock jumps: for them it has ended
  await world.pass(30_000);
  const second = world.pem("tls.crt");
  expect(second).not.toBe(first);
  for (const index of [0, 1]) world.learn(index);
  world.skewMs = 0; // and back: for them it has not begun
  await world.pass(30_000);
  expect([first, second]).not.toContain(world.pem("tls.crt"));
  for (const index of [0, 1]) world.learn(index);
});

const EVENT = fc.oneof(
  fc.record({ do: fc.constant("pass" as const), ms: fc.integer({ min: 1, max: 8_000 }) }),
  fc.record({ do: fc.constant("rotate" as const) }),
  fc.record({
    do: fc.constant("kill" as const),
    writes: fc.integer({ min: 0, max: 3 }),
    after: fc.boolean(),
  }),
  fc.record({ do: fc.constant("lose" as const) }),
  fc.record({ do: fc.constant("wait" as const) }),
);

Deno.test("no API server ever refuses what a replica shows, whoever is late and whenever the manager dies", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(EVENT, { minLength: 5, maxLength: 12 }),
      fc.infiniteStream(fc.nat(1_000)),
      async (events, dice) => {
        await using world = await installed();
        const roll = () => dice.next().value! / 1_001;
        const late = new Map<string, number>();
        const overdue = (what: string, { lag, ms }: { lag: number; ms: number }) => {
          const age = (late.get(what) ?? 0) + ms;
          const acts = age >= lag || roll() < 0.1;
          late.set(what, acts ? 0 : age);
          return acts;
        };
        const pass = async (total: number) => {
          for (let passed = 0; passed < total;) {
            const ms = passed < 10_000 ? 2_000 : 10_000; // at first there is more to see
            for (const index of [0, 1]) if (overdue(`server ${index}`, { lag: SETTLE_MS, ms })) world.learn(index);
            for (const name of world.replicas.keys()) {
              if (overdue(`volume ${name}`, { lag: VOLUME_LAG_MS, ms })) world.read(name);
              if (overdue(`report ${name}`, { lag: REPORT_LAG_MS, ms })) world.report(name);
            }
            world.check();
            await world.pass(ms);
            passed += ms;
          }
        };
        for (const event of events) {
          if (event.do === "pass") await pass(event.ms);
          else if (event.do === "wait") await pass(150_000);
          else if (event.do === "rotate") world.rotate();
          else if (event.do === "kill") world.fuse = { writes: event.writes, after: event.after };
          else world.objects.delete(formatKey(secretKey(PLACE)));
          await world.settle();
        }
        world.fuse = undefined;
        await pass(350_000);
        expect(world.controller.plan?.phase).toBe("Stable");
        expect(certificates(world.bundle(KINDS[0]))).toHaveLength(1);
        expect(world.get(nextKey(PLACE))).toBeUndefined();
      },
    ),
    { numRuns: Number(Deno.env.get("CHANGES") ?? 3) },
  );
});
