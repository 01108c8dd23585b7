import { expect } from "expect";
import * as fc from "fast-check";
import { type CertificateFacts, EXTENDED_KEY_USAGES } from "../certificate.ts";
import { judgeCertificate } from "../judge.ts";
import { rememberSigning } from "./lifetime.ts";
import { planRotation } from "./plan.ts";
import { bundleName, type Root, type RotationInput, type RotationPlan, type RotationStatus } from "./state.ts";

const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const TRUST_DELAY = 5 * MINUTE;
/** A volume shows what its Secret was at some moment of this time. */
const VOLUME_LAG = 4 * MINUTE;
const CA_LIFE_S = 30 * 86_400;
const LEAF_LIFE_S = 2 * 86_400;

interface LeafContent {
  readonly signer: string;
  readonly notAfter: number;
  readonly trusted: readonly string[];
}

/** What a Secret held since when, the newest last. */
type History<T> = { readonly at: number; readonly value: T }[];

/** A cluster in which nothing happens but what a test does; volumes lag, replicas read late, the operator dies anywhere. */
class World {
  /** What the operator's clock shows. */
  now = Date.UTC(2026, 0, 1);
  /** What volumes age by. */
  #real = 0;
  status: RotationStatus | undefined;
  ca: Root | undefined;
  next: Root | undefined;
  /** A change of the spec, or somebody's wish. */
  due: string | undefined;
  readonly bundle: History<readonly string[]> = [];
  bundleExists = false;
  readonly leaves = new Map<string, History<LeafContent>>();
  /** What each replica of the discovery service trusts; replicas read as late as they like. */
  readonly servers = new Map<string, readonly string[]>();
  /** Certificates that somebody has copied into a Secret of their own, where they are used until they end. */
  readonly copies: LeafContent[] = [];
  readonly #roots = new Map<string, Root>();
  readonly #signed = new Set<string>();

  pass(ms: number): void {
    this.now += ms;
    this.#real += ms;
  }

  /** One write of whoever rotates the CA. Gives whether something was done. */
  step(): boolean {
    const { step } = this.plan();
    switch (step.do) {
      case "create":
        this.ca = this.#newRoot();
        break;
      case "create-next":
        this.next = this.#newRoot();
        break;
      case "remember":
        this.status = step.status;
        if (this.status.current === this.next?.fingerprint) this.due = undefined;
        break;
      case "publish":
        this.bundle.push({ at: this.#real, value: step.bundle });
        this.bundleExists = true;
        break;
      case "promote":
        this.ca = this.next;
        break;
      case "remove-next":
        this.next = undefined;
        break;
      case "wait":
        return false;
    }
    return true;
  }

  plan(): RotationPlan {
    return planRotation(this.#input());
  }

  /** One write of whoever issues certificates. Gives whether something was done. */
  issue(name: string): boolean {
    const { trusted, signs, bundle } = this.plan();
    const history = this.leaves.get(name) ?? [];
    const found = history.at(-1)?.value;
    const judgement = judgeCertificate({
      now: this.now,
      wanted: {
        ...{ commonName: name, isCA: false, server: true, validFor: LEAF_LIFE_S, algorithm: "ECDSA-P256" },
        names: { dns: [], ips: [], uris: [] },
      },
      renewal: true,
      secret: found
        ? { kind: "found", ours: true, reading: readingOf(name, found), signer: rootFacts(found.signer) }
        : { kind: "missing" },
      issuer: this.ca && signs
        ? { kind: "usable", certificate: { ...rootFacts(this.ca.fingerprint), notAfter: this.ca.notAfter }, trusted }
        : { kind: "unusable", reason: "IssuerNotFound", problem: "" },
      bundle: bundle.map(rootFacts),
    });
    if (judgement.do === "complete") {
      history.push({ at: this.#real, value: { ...found!, trusted: bundle } });
      return true;
    }
    if (judgement.do !== "issue" || !this.ca || !this.status) return false;
    const notAfter = Math.min(this.now + LEAF_LIFE_S * 1000, this.ca.notAfter);
    if (notAfter <= this.now) return false;
    const remembered = rememberSigning(this.status, { notAfter, validFor: LEAF_LIFE_S, root: this.ca });
    if (remembered) this.status = remembered; // a write of its own, before the certificate
    else {
      this.#signed.add(this.ca.fingerprint);
      history.push({ at: this.#real, value: { signer: this.ca.fingerprint, notAfter, trusted: bundle } });
    }
    this.leaves.set(name, history);
    return true;
  }

  /** A replica reads the bundle as it is now. */
  read(server: string): boolean {
    const value = this.bundle.at(-1)?.value ?? [];
    if (bundleName(this.servers.get(server) ?? []) === bundleName(value)) return false;
    this.servers.set(server, value);
    return true;
  }

  /** Whoever shows a certificate that has not ended is trusted by whoever may see it, whatever each volume shows now. */
  check(): void {
    const shown = [
      ...[...this.leaves].flatMap(([name, history]) => this.#visible(history).map((content) => ({ name, ...content }))),
      ...this.copies.map((content) => ({ name: "copy", ...content })),
    ];
    const trusting = [
      ...[...this.servers].map(([other, trusted]) => ({ other, trusted })),
      ...[...this.leaves].flatMap(([other, history]) =>
        this.#visible(history).map(({ trusted }) => ({ other, trusted }))
      ),
    ];
    for (const { name, signer, notAfter } of shown) {
      if (notAfter <= this.now || this.#rootEnded(signer)) continue;
      for (const { other, trusted } of trusting) {
        if (this.#trustsNobody(trusted)) continue;
        expect({ name, other, trusted }).toEqual({ name, other, trusted: has(trusted, signer) });
      }
    }
  }

  #input(): RotationInput {
    const known = new Set([
      ...(this.bundleExists ? this.bundle.at(-1)?.value ?? [] : []),
      ...[...this.leaves.values()].flatMap((history) => history.at(-1)?.value.trusted ?? []),
    ]);
    const renewal = this.ca && this.now > this.ca.notAfter - CA_LIFE_S * 200 ? "it ends soon" : undefined;
    return {
      now: this.now,
      status: this.status,
      current: this.ca,
      ours: true,
      next: this.next,
      due: this.due ?? renewal,
      nextFits: this.next !== undefined && this.now < this.next.notAfter - CA_LIFE_S * 500,
      bundle: this.bundleExists ? this.bundle.at(-1)?.value : undefined,
      known: [...known].map((fingerprint) => this.#roots.get(fingerprint)!),
      leaves: [...this.leaves].filter(([, history]) => history.length > 0).map(([name, history]) => ({
        name,
        ours: true,
        ...history.at(-1)!.value,
      })),
      servers: [...this.servers].map(([name, trusted]) => ({ name, bundle: bundleName(trusted) })),
      distrusted: [],
      trustDelayMs: TRUST_DELAY,
      forceAt: Infinity,
    };
  }

  #newRoot(): Root {
    const root = { fingerprint: `root-${this.#roots.size}`, notAfter: this.now + CA_LIFE_S * 1000 };
    this.#roots.set(root.fingerprint, root);
    return root;
  }

  #rootEnded(fingerprint: string): boolean {
    return this.#roots.get(fingerprint)!.notAfter <= this.now;
  }

  /** Whoever was left with CAs that have ended cannot talk to anybody, whatever happens next. */
  #trustsNobody(trusted: readonly string[]): boolean {
    return trusted.every((fingerprint) => this.#rootEnded(fingerprint) || !this.#signed.has(fingerprint));
  }

  /** What a volume may show. */
  #visible<T>(history: History<T>): T[] {
    return history.filter((_, index) => (history[index + 1]?.at ?? Infinity) >= this.#real - VOLUME_LAG).map((
      { value },
    ) => value);
  }
}

function has(trusted: readonly string[], signer: string): unknown {
  return trusted.includes(signer) ? trusted : `${signer} is among them`;
}

function rootFacts(fingerprint: string): CertificateFacts {
  return {
    ...{ pem: "", fingerprint, commonName: "ca", names: { dns: [], ips: [], uris: [] }, isCA: true },
    ...{ extendedKeyUsages: [], notBefore: 0, notAfter: Infinity, serialNumber: "1", selfSigned: true },
  };
}

function readingOf(name: string, content: LeafContent) {
  const leaf: CertificateFacts = {
    ...rootFacts(name),
    ...{ commonName: name, isCA: false, selfSigned: false, extendedKeyUsages: [EXTENDED_KEY_USAGES.serverAuth] },
    ...{ notBefore: content.notAfter - LEAF_LIFE_S * 1000 - MINUTE, notAfter: content.notAfter },
  };
  return { kind: "pair" as const, chain: [leaf] as const, keyMatches: true, trusted: content.trusted.map(rootFacts) };
}

type Command = (world: World) => void;

const LEAVES = ["server", "sidecar", "edge"];
const SERVERS = ["replica-0", "replica-1"];

/** A change of the CA that gets so many steps far after everybody was told. */
function rotate(steps: number): Command {
  return (world) => {
    world.due = "somebody wants it";
    for (let turn = 0; turn < 3; turn++) {
      while (world.step());
      for (const name of LEAVES) while (world.issue(name));
      for (const name of SERVERS) world.read(name);
    }
    world.pass(TRUST_DELAY);
    for (let step = 0; step < steps; step++) world.step();
  };
}

function copy(name: string): Command {
  return (world) => {
    const content = world.leaves.get(name)?.at(-1)?.value;
    if (content) world.copies.push(content);
  };
}

const command: fc.Arbitrary<readonly [string, Command]> = fc.oneof(
  { weight: 8, arbitrary: fc.constant(["step", (world: World) => void world.step()] as const) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(...LEAVES).map((name) =>
      [`issue ${name}`, (world: World) => void world.issue(name)] as const
    ),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(...SERVERS).map((name) =>
      [`read ${name}`, (world: World) => void world.read(name)] as const
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(1000, MINUTE, TRUST_DELAY, 60 * MINUTE, DAY, 5 * DAY).map((ms) =>
      [`pass ${ms} ms`, (world: World) => world.pass(ms)] as const
    ),
  },
  { weight: 1, arbitrary: fc.nat(6).map((steps) => [`rotate, ${steps} steps`, rotate(steps)] as const) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<readonly [string, Command]>(
      ["copy the server's", copy("server")],
      ["copy the sidecar's", copy("sidecar")],
      ["copy the edge's and delete it", (world) => {
        copy("edge")(world);
        world.leaves.delete("edge");
      }],
      ["want another CA", (world) => void (world.due = "somebody wants it")],
      ["want it no more", (world) => void (world.due = undefined)],
      ["lose the CA", (world) => void (world.ca = undefined)],
      ["lose the next CA", (world) => void (world.next = undefined)],
      ["lose the bundle", (world) => void (world.bundleExists = false)],
      ["lose the status", (world) => void (world.status = undefined)],
      ["set the clock back", (world) => void (world.now -= 30_000)],
      ["lose a replica", (world) => void world.servers.delete("replica-1")],
    ),
  },
);

/** Lets everybody do what there is to do until nothing is left. */
function settle(world: World, check: () => void): void {
  for (let turn = 0; turn < 200; turn++) {
    let busy = false;
    for (
      const act of [
        () => world.step(),
        ...LEAVES.map((n) => () => world.issue(n)),
        ...SERVERS.map((n) => () => world.read(n)),
      ]
    ) {
      while (act()) {
        busy = true;
        check();
      }
    }
    const plan = world.plan();
    if (
      !busy && plan.step.do === "wait" && world.status && world.status.phase !== "Trust" &&
      world.status.phase !== "Sign"
    ) {
      return;
    }
    world.pass(MINUTE);
    check();
  }
  throw new Error(`It does not settle: ${JSON.stringify({ status: world.status, step: world.plan().step })}`);
}

Deno.test("A3: whatever happens when, everybody trusts what everybody else shows", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 150 }), (commands) => {
      const world = new World();
      settle(world, () => world.check());
      for (const [, act] of commands) {
        act(world);
        world.check();
      }
      settle(world, () => world.check());
    }),
    { numRuns: Number(Deno.env.get("ROTATION_RUNS") ?? 200) },
  );
});

Deno.test("A3: after anything it settles, with one CA once the earlier ones have ended, and then writes nothing", () => {
  fc.assert(
    fc.property(fc.array(command, { minLength: 20, maxLength: 150 }), (commands) => {
      const world = new World();
      for (const [, act] of commands) act(world);
      world.due = undefined;
      settle(world, () => {});
      for (let days = 0; days < 40 && world.status?.phase !== "Stable"; days++) {
        world.pass(DAY);
        settle(world, () => {});
      }
      expect(world.status).toMatchObject({ phase: "Stable", earlier: [], current: world.ca?.fingerprint });
      expect(world.bundle.at(-1)?.value).toEqual([world.ca?.fingerprint]);
      expect(world.next).toBeUndefined();
      expect([world.step(), ...LEAVES.map((name) => world.issue(name))]).toEqual([false, false, false, false]);
    }),
    { numRuns: 100 },
  );
});
