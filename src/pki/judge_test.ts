import { expect } from "expect";
import type { CertificateFacts, PairReading, WantedCertificate } from "./certificate.ts";
import { EXTENDED_KEY_USAGES } from "./certificate.ts";
import { judgeCertificate, type Judgement } from "./judge.ts";
import { alternativeNames } from "./names.ts";
import type { SecretState, Situation } from "./situation.ts";

const T0 = Date.parse("2026-01-01T00:00:00Z");
const S = 1000;

const WANTED: WantedCertificate = {
  commonName: "server",
  names: alternativeNames(["ds.ns.svc"]),
  isCA: false,
  server: true,
  validFor: 100,
  algorithm: "ECDSA-P256",
};

function facts(changes: Partial<CertificateFacts> = {}): CertificateFacts {
  return {
    pem: "",
    fingerprint: "leaf",
    commonName: "server",
    names: alternativeNames(["ds.ns.svc"]),
    isCA: false,
    extendedKeyUsages: [EXTENDED_KEY_USAGES.serverAuth],
    notBefore: T0 - 60 * S,
    notAfter: T0 + 100 * S,
    serialNumber: "1",
    selfSigned: false,
    ...changes,
  };
}

const CA = facts({ fingerprint: "ca", commonName: "ca", isCA: true, selfSigned: true, notAfter: T0 + 10_000 * S });
const NEW_CA = { ...CA, fingerprint: "new-ca" };

interface Setting {
  /** Seconds after it was issued. */
  readonly at: number;
  readonly renewal?: boolean;
  readonly wanted?: Partial<WantedCertificate>;
  readonly leaf?: Partial<CertificateFacts>;
  readonly reading?: PairReading;
  readonly secret?: Partial<Extract<SecretState, { kind: "found" }>> | "missing";
  readonly issuer?: Situation["issuer"];
  readonly bundle?: readonly CertificateFacts[];
  readonly trusted?: readonly CertificateFacts[] | undefined;
}

function situation(setting: Setting): Situation {
  const reading: PairReading = setting.reading ?? {
    kind: "pair",
    chain: [facts(setting.leaf)],
    keyMatches: true,
    trusted: "trusted" in setting ? setting.trusted : [CA],
  };
  return {
    now: T0 + setting.at * S,
    wanted: { ...WANTED, ...setting.wanted },
    renewal: setting.renewal ?? true,
    secret: setting.secret === "missing"
      ? { kind: "missing" }
      : { kind: "found", ours: true, reading, signer: CA, ...setting.secret },
    issuer: setting.issuer ?? { kind: "usable", certificate: CA, trusted: true },
    bundle: setting.bundle ?? [CA],
  };
}

interface Row extends Setting {
  readonly name: string;
  /** What is done, and why. */
  readonly want: string;
  /** Default: true. */
  readonly ready?: boolean;
  /** Seconds from `at` until it is looked at again. */
  readonly next?: number;
}

/** One line: what is done, because of what, and what keeps it from being done. */
function told({ do: what, finding, held }: Judgement): string {
  return [what, finding?.reason, held].filter((word) => word !== undefined).join(" ");
}

const LOST: Situation["issuer"] = {
  kind: "unusable",
  reason: "IssuerNotFound",
  problem: "There is no Secret of the CA",
};
const NOT_TRUSTED: Situation["issuer"] = { kind: "usable", certificate: NEW_CA, trusted: false };
const ITSELF: Situation["issuer"] = { kind: "itself" };

const ROWS: readonly Row[] = [
  { name: "a missing Secret is made", at: 0, secret: "missing", want: "issue SecretMissing", ready: false },
  {
    name: "a missing Secret is made with renewal off",
    at: 0,
    renewal: false,
    secret: "missing",
    want: "issue SecretMissing",
    ready: false,
  },
  { name: "at 60 s all is well until 80 s", at: 60, want: "keep", next: 20.001 },
  { name: "at 60 s with renewal off all is well until it has expired", at: 60, renewal: false, want: "keep", next: 41 },
  {
    name: "at 120 s with renewal off it is reported, for ever",
    at: 120,
    renewal: false,
    want: "report NearExpiry renewal-off",
    ready: false,
  },
  { name: "at 120 s it is issued again", at: 120, want: "issue NearExpiry", ready: false },
  { name: "inside the last 20 s it is issued again", at: 80.001, want: "issue NearExpiry", next: 20.999 },
  { name: "at exactly 80 s it is not", at: 80, want: "keep", next: 0.001 },
  { name: "C5: validFor 0 is refused", at: 10, wanted: { validFor: 0 }, want: "report InvalidSpec", next: 90.001 },
  {
    name: "C5: validFor 0 makes no first certificate",
    at: 0,
    wanted: { validFor: 0 },
    secret: "missing",
    want: "report InvalidSpec",
    ready: false,
  },
  {
    name: "C5: another common name",
    at: 10,
    wanted: { commonName: "other" },
    want: "issue ContentChanged",
    next: 70.001,
  },
  {
    name: "C5: another host",
    at: 10,
    wanted: { names: alternativeNames(["x"]) },
    want: "issue ContentChanged",
    next: 70.001,
  },
  { name: "C5: a CA is wanted", at: 10, wanted: { isCA: true }, want: "issue ContentChanged", next: 70.001 },
  { name: "C5: a client is wanted", at: 10, wanted: { server: false }, want: "issue ContentChanged", next: 70.001 },
  {
    name: "C5: a change of the spec with renewal off is reported",
    at: 10,
    renewal: false,
    wanted: { commonName: "other" },
    want: "report ContentChanged renewal-off",
    next: 91,
  },
  { name: "another algorithm is no change", at: 10, wanted: { algorithm: "RSA-2048" }, want: "keep", next: 70.001 },
  { name: "a longer validFor waits for the renewal", at: 10, wanted: { validFor: 1000 }, want: "keep", next: 58.001 },
  {
    name: "a client of an older program, without usages, stays",
    at: 10,
    wanted: { server: false },
    leaf: { extendedKeyUsages: [] },
    want: "keep",
    next: 70.001,
  },
  {
    name: "a server without usages does not",
    at: 10,
    leaf: { extendedKeyUsages: [] },
    want: "issue ContentChanged",
    next: 70.001,
  },
  {
    name: "hosts in another order or case are no change",
    at: 10,
    wanted: { names: alternativeNames(["B", "a"]) },
    leaf: { names: alternativeNames(["a", "b", "A"]) },
    want: "keep",
    next: 70.001,
  },
  {
    name: "addresses in another spelling are no change",
    at: 10,
    wanted: { names: alternativeNames(["0:0::1"]) },
    leaf: { names: alternativeNames(["::1"]) },
    want: "keep",
    next: 70.001,
  },
  {
    name: "C6: a Secret of somebody else is left alone",
    at: 10,
    secret: { ours: false },
    want: "report SecretNotOwned",
    next: 70.001,
  },
  {
    name: "C6: a Secret of somebody else is left alone even when it has expired",
    at: 200,
    secret: { ours: false },
    want: "report SecretNotOwned",
    ready: false,
  },
  {
    name: "C6: a Secret of somebody else gets no ca.crt",
    at: 10,
    secret: { ours: false },
    trusted: undefined,
    want: "report SecretNotOwned",
    next: 70.001,
  },
  {
    name: "C6: a Secret without a key",
    at: 10,
    reading: { kind: "incomplete", missing: ["tls.key"] },
    want: "report SecretIncomplete",
    ready: false,
  },
  {
    name: "C6: a Secret without a certificate",
    at: 10,
    reading: { kind: "unreadable", problem: "tls.crt is no certificate that can be read" },
    want: "report SecretUnreadable",
    ready: false,
  },
  {
    name: "C6: a key of another certificate",
    at: 10,
    reading: { kind: "pair", chain: [facts()], keyMatches: false, trusted: [CA] },
    want: "report KeyMismatch",
    ready: false,
    next: 70.001,
  },
  {
    name: "a missing issuer is reported, what is there stays ready",
    at: 10,
    issuer: LOST,
    want: "report IssuerNotFound",
    next: 70.001,
  },
  {
    name: "a missing issuer does not keep ca.crt from being written",
    at: 10,
    issuer: LOST,
    bundle: [CA, NEW_CA],
    want: "complete IssuerNotFound",
    next: 70.001,
  },
  {
    name: "a missing issuer makes no first certificate",
    at: 0,
    issuer: LOST,
    secret: "missing",
    want: "report IssuerNotFound",
    ready: false,
  },
  {
    name: "an issuer that may not be used from here",
    at: 10,
    issuer: { kind: "unusable", reason: "IssuerNotAllowed", problem: "" },
    want: "report IssuerNotAllowed",
    next: 70.001,
  },
  {
    name: "a new issuer",
    at: 10,
    issuer: { kind: "usable", certificate: NEW_CA, trusted: true },
    want: "issue IssuerChanged",
    next: 70.001,
  },
  {
    name: "A3: a new issuer that is not trusted everywhere waits",
    at: -3000,
    issuer: NOT_TRUSTED,
    leaf: { notBefore: T0 - 4000 * S },
    want: "report IssuerChanged issuer-not-trusted",
    next: 2980,
  },
  {
    name: "A3: a new issuer that is not trusted everywhere does not keep ca.crt from being written",
    at: -3000,
    issuer: NOT_TRUSTED,
    leaf: { notBefore: T0 - 4000 * S },
    bundle: [CA, NEW_CA],
    want: "complete IssuerChanged issuer-not-trusted",
    next: 2980,
  },
  {
    name: "A3: of what does not live long that is when a tenth of its life is left",
    at: 10,
    issuer: NOT_TRUSTED,
    want: "report IssuerChanged issuer-not-trusted",
    next: 70.001,
  },
  {
    name: "A3: what ends soon is issued by whoever there is",
    at: 91,
    issuer: NOT_TRUSTED,
    want: "issue IssuerChanged",
    next: 10,
  },
  {
    name: "signed by nobody we know",
    at: 10,
    secret: { signer: undefined },
    want: "issue IssuerChanged",
    ready: false,
    next: 70.001,
  },
  {
    name: "signed by another though it should be by itself",
    at: 10,
    issuer: ITSELF,
    want: "issue IssuerChanged",
    ready: false,
    next: 70.001,
  },
  { name: "self-signed and no CA", at: 10, issuer: ITSELF, leaf: { selfSigned: true }, want: "keep", next: 70.001 },
  {
    name: "a missing ca.crt is added in place",
    at: 10,
    trusted: undefined,
    want: "complete TrustIncomplete",
    next: 70.001,
  },
  {
    name: "a ca.crt that lacks one is written in place",
    at: 10,
    bundle: [CA, NEW_CA],
    want: "complete TrustIncomplete",
    next: 70.001,
  },
  {
    name: "a ca.crt that holds one too many is written in place",
    at: 10,
    trusted: [CA, NEW_CA],
    want: "complete TrustIncomplete",
    next: 70.001,
  },
  {
    name: "the order in ca.crt means nothing",
    at: 10,
    trusted: [NEW_CA, CA],
    bundle: [CA, NEW_CA],
    want: "keep",
    next: 70.001,
  },
  {
    name: "ca.crt is written with renewal off",
    at: 10,
    renewal: false,
    trusted: undefined,
    want: "complete TrustIncomplete",
    next: 91,
  },
  { name: "a clock that is a minute behind", at: -120, want: "keep", ready: false, next: 60 },
  { name: "a clock that is an hour behind", at: -3600, want: "issue NotYetValid", ready: false, next: 3540 },
  {
    name: "a clock that jumped ahead",
    at: 100_000,
    want: "issue NearExpiry",
    ready: false,
    issuer: { kind: "usable", certificate: { ...CA, notAfter: T0 + 1e9 * S }, trusted: true },
  },
  {
    name: "no new one when the issuer ends as soon",
    at: 90,
    issuer: { kind: "usable", certificate: { ...CA, notAfter: T0 + 100 * S }, trusted: true },
    want: "keep",
    next: 11,
  },
];

for (const row of ROWS) {
  Deno.test(`judgeCertificate(): ${row.name}`, () => {
    const judgement = judgeCertificate(situation(row));
    const next = judgement.next === undefined ? undefined : (judgement.next - T0) / S - row.at;
    expect({ do: told(judgement), ready: judgement.ready, next: next && Math.round(next * 1000) / 1000 })
      .toEqual({ do: row.want, ready: row.ready ?? true, next: row.next });
  });
}
