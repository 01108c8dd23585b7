/**
 * A cluster in which a CA is changed for another one, as values: nothing happens but what a test does.
 * @module
 */
import { expect } from "expect";
import { type CertificateFacts, EXTENDED_KEY_USAGES } from "../../src/pki/certificate.ts";
import { judgeCertificate } from "../../src/pki/judge.ts";
import { rememberSigning, successionTime, tellingTime } from "../../src/pki/rotation/lifetime.ts";
import { planRotation } from "../../src/pki/rotation/plan.ts";
import {
  bundleName,
  type Root,
  type RotationInput,
  type RotationPlan,
  type RotationStatus,
} from "../../src/pki/rotation/state.ts";

export const MINUTE = 60_000;
export const TRUST_DELAY = 5 * MINUTE;

/** How long things last, in seconds, and how late volumes are: each shows what its Secret was at some moment of `lagMs`. */
export interface Lives {
  readonly ca: number;
  readonly leaf: number;
  readonly lagMs: number;
}

/** As they usually are. */
const USUAL: Lives = { ca: 30 * 86_400, leaf: 2 * 86_400, lagMs: 4 * MINUTE };

/** What a Secret of a client holds. */
export interface LeafContent {
  readonly signer: string;
  readonly notAfter: number;
  /** Nothing when there is no `ca.crt`: its bearer does not look at whom it talks to. */
  readonly trusted: readonly string[];
}

/** What a Secret held since when, the newest last. */
type History<T> = { readonly at: number; readonly value: T }[];

/** See above. */
export class World {
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
  /** Clients that started without verification: each shows the certificate that it read last, and trusts whoever answers. */
  readonly careless = new Map<string, LeafContent>();
  /** Secrets that somebody else has made in the place of one of ours; whoever rotates sees them, and nobody here writes them. */
  readonly foreign = new Map<string, LeafContent>();
  /** From then on nobody is waited for who does not answer. */
  forceAt = Infinity;
  readonly #lives: Lives;
  readonly #roots = new Map<string, Root>();
  readonly #signed = new Set<string>();

  constructor(lives: Lives = USUAL) {
    this.#lives = lives;
  }

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
        ...{ commonName: name, isCA: false, server: true, validFor: this.#lives.leaf, algorithm: "ECDSA-P256" },
        names: { dns: [], ips: [], uris: [] },
      },
      renewal: true,
      secret: found
        ? {
          kind: "found",
          ours: true,
          reading: readingOf(name, found, this.#lives.leaf),
          signer: rootFacts(found.signer),
        }
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
    const notAfter = Math.min(this.now + this.#lives.leaf * 1000, this.ca.notAfter);
    if (notAfter <= this.now) return false;
    const remembered = rememberSigning(this.status, { notAfter, validFor: this.#lives.leaf, root: this.ca });
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

  /** A client that does not verify anybody reads its certificate anew; nothing of `ca.crt`. */
  restart(client: string, { from }: { from: string }): void {
    const content = this.leaves.get(from)?.at(-1)?.value;
    if (content) this.careless.set(client, { ...content, trusted: [] });
  }

  /** Names of those whose certificate, as it is in the Secret now, has ended or is missing. */
  ended(): string[] {
    return LEAVES.filter((name) => (this.leaves.get(name)?.at(-1)?.value.notAfter ?? 0) <= this.now);
  }

  /** Whoever shows a certificate that has not ended is trusted by whoever may see it, whatever each volume shows now. */
  check(): void {
    const shown = [
      ...[...this.leaves].flatMap(([name, history]) => this.#visible(history).map((content) => ({ name, ...content }))),
      ...this.copies.map((content) => ({ name: "copy", ...content })),
      ...[...this.careless].map(([name, content]) => ({ name, ...content })),
      // A certificate of another CA is refused, whatever we do.
      ...[...this.foreign].filter(([, { signer }]) => this.#roots.has(signer)).map((
        [name, content],
      ) => ({ name, ...content })),
    ];
    const trusting = [
      ...[...this.servers].map(([other, trusted]) => ({ other, trusted })),
      ...[...this.leaves].flatMap(([other, history]) =>
        this.#visible(history).map(({ trusted }) => ({ other, trusted }))
      ),
      // Who has not copied anything by then is left behind.
      ...[...this.foreign].filter(([, { trusted }]) =>
        this.now < this.forceAt && trusted.some((one) => this.#roots.has(one))
      ).map(([other, { trusted }]) => ({ other, trusted })),
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
    const life = { validFor: this.#lives.ca, trustDelayMs: TRUST_DELAY };
    const renewal = this.ca && this.now > successionTime(this.ca, life) ? "it ends soon" : undefined;
    return {
      now: this.now,
      status: this.status,
      current: this.ca,
      ours: true,
      next: this.next,
      due: this.due ?? renewal,
      nextFits: this.next !== undefined && this.now < this.next.notAfter - this.#lives.ca * 500,
      bundle: this.bundleExists ? this.bundle.at(-1)?.value : undefined,
      known: [...known].map((fingerprint) => this.#roots.get(fingerprint)!),
      leaves: [...this.leaves].filter(([, history]) => history.length > 0).map(([name, history]) => ({
        name,
        ours: true,
        ...history.at(-1)!.value,
      })).concat([...this.foreign].map(([name, content]) => ({ name, ours: false, ...content }))),
      servers: [...this.servers].map(([name, trusted]) => ({ name, bundle: bundleName(trusted) })),
      distrusted: [],
      trustDelayMs: tellingTime(life),
      forceAt: this.forceAt,
    };
  }

  #newRoot(): Root {
    const root = { fingerprint: `root-${this.#roots.size}`, notAfter: this.now + this.#lives.ca * 1000 };
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
    return history.filter((_, index) => (history[index + 1]?.at ?? Infinity) >= this.#real - this.#lives.lagMs).map((
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

function readingOf(name: string, content: LeafContent, lifeS: number) {
  const leaf: CertificateFacts = {
    ...rootFacts(name),
    ...{ commonName: name, isCA: false, selfSigned: false, extendedKeyUsages: [EXTENDED_KEY_USAGES.serverAuth] },
    ...{ notBefore: content.notAfter - lifeS * 1000 - MINUTE, notAfter: content.notAfter },
  };
  return { kind: "pair" as const, chain: [leaf] as const, keyMatches: true, trusted: content.trusted.map(rootFacts) };
}

/** Those who have certificates, and those who trust them. */
export const LEAVES = ["server", "sidecar", "edge"];
export const SERVERS = ["replica-0", "replica-1"];

/** Lets everybody do what there is to do until nothing is left. */
export function settle(world: World, check: () => void): void {
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
