import {
  bundleOf,
  certificateSettings,
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  discoveryServiceSettings,
  OPERATOR_ANNOTATIONS,
} from "../../api/operator/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import type { CertificateFacts, IssuerState, SignedLeaf } from "../../pki/mod.ts";
import { readCertificates } from "../../pki/crypto/mod.ts";
import { controllerOf, isControlledBy } from "../engine/owned.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { View } from "../engine/view.ts";
import { type CertificateIndex, secretKeyOf } from "./index.ts";
import type { AuthorityInput, CertificateInput, FoundSecret } from "./inputs.ts";
import { type KeptAuthority, keptAuthority } from "./kept_authority.ts";
import { keyPlaceOf } from "./key_place.ts";
import { isSecretOf } from "./ownership.ts";
import type { SecretReading, SecretReadings } from "./secret_readings.ts";
import type { Signers } from "./signers.ts";

/** A certificate as a store has it. */
export type StoredCertificate = WatchedObject & DiscoveryServiceCertificate;

/** What became known of a certificate authority at the last look at it. */
export interface AuthorityState {
  /** What signs; `undefined` while there is nothing. */
  readonly certificate: CertificateFacts | undefined;
  readonly signs: boolean;
  readonly trusted: boolean;
  /** What everybody is to trust. */
  readonly bundle: readonly CertificateFacts[];
  /** The Secret with its key. */
  readonly key: ObjectKey;
}

/** The live replicas of the discovery service in a namespace, each with the bundle it trusts as `bundleName` has it. */
export type ReplicasOf = (namespace: string) => Promise<AuthorityInput["servers"]>;

/** What facts are gathered with. */
export interface GatherOptions {
  readonly now: number;
  readonly view: View;
  readonly readings: SecretReadings;
  readonly signers: Signers;
  readonly index: CertificateIndex;
}

/** How long everybody has to read a new CA where no DiscoveryService says so, in milliseconds. */
const TRUST_DELAY_MS = 300_000;

/** What is found out about a certificate that is signed by a CA, or by its own key without being one. */
export async function gatherCertificate(
  object: StoredCertificate,
  options: GatherOptions & {
    readonly strictIssuers: boolean;
    /** `undefined` for one that is unknown as yet. */
    readonly authority: (key: ObjectKey) => AuthorityState | undefined;
  },
): Promise<CertificateInput | "authority-unknown"> {
  const { now, view, readings, index, strictIssuers } = options;
  const read = await readSecret(secretKeyOf(object), { view, readings });
  const { issuer } = certificateSettings(object);
  if (!issuer) {
    const secret = read && found(read, ownLeaf(read), options);
    const permission = "same-namespace";
    return { now, object, secret, issuer: { kind: "itself" }, permission, strictIssuers, bundle: undefined };
  }
  const issuerKey = { kind: "Secret", ...issuer };
  const issuerRead = await readSecret(issuerKey, { view, readings });
  const authority = index.authorityIn(issuerKey);
  const known = authority && options.authority(authority);
  if (authority && !known) return "authority-unknown";
  const { state, bundle } = known ? byAuthority(known) : byItsSecret(issuerRead, `${issuer.namespace}/${issuer.name}`);
  const candidates = [...bundle, ...(state.kind === "usable" ? [state.certificate] : [])];
  return {
    now,
    object,
    secret: read && found(read, candidates, options),
    issuer: state,
    permission: permissionOf(object, issuer.namespace, issuerRead),
    strictIssuers,
    bundle: known || bundle.length > 0 ? bundle : undefined,
  };
}

/** What is found out about a certificate authority that signs itself. */
export interface GatheredAuthority {
  readonly input: AuthorityInput;
  /** All CAs that were met with, by fingerprint. */
  readonly roots: ReadonlyMap<string, CertificateFacts>;
  readonly kept: KeptAuthority;
}

/** Finds out about a certificate authority that signs itself. */
export async function gatherAuthority(
  object: StoredCertificate,
  options: GatherOptions & {
    readonly replicas: ReplicasOf;
    /** Where keys are kept that are not to lie beside their CA. */
    readonly keyNamespace: string | undefined;
  },
): Promise<GatheredAuthority> {
  const { now, view, readings, index, keyNamespace } = options;
  const { namespace = "default", name } = object.metadata;
  const own = secretKeyOf(object);
  const kept = await keptAuthority(object, {
    place: keyPlaceOf(object, keyNamespace),
    read: (key) => readSecret(key, { view, readings }),
  });
  const { secret: read, next: nextRead } = kept;
  const bundle = view.get({ kind: "ConfigMap", namespace, name: bundleOf(name) });
  const published = bundle && (readCertificates(textIn(bundle)) ?? []);
  const leaves: { certificate: StoredCertificate; read: SecretReading }[] = [];
  for (const key of index.signedBy(own)) {
    const certificate = view.get(key) as StoredCertificate | undefined; // by its kind
    const leaf = certificate && await readSecret(secretKeyOf(certificate), { view, readings });
    if (certificate && leaf) leaves.push({ certificate, read: leaf });
  }
  const known = rootsIn([
    published ?? [],
    trustedIn(read),
    ...leaves.map(({ certificate, read }) => trustedByUs(trustedIn(read), { object, certificate, read })),
  ]);
  const roots = new Map([...known, ...rootsIn([ownLeaf(read), ownLeaf(nextRead)])]);
  return {
    ...{ roots, kept },
    input: {
      now,
      object,
      secret: read && found(read, ownLeaf(read), options),
      next: nextRead && found(nextRead, ownLeaf(nextRead), options),
      shown: kept.shown && { secret: kept.shown.secret && found(kept.shown.secret, [], options) },
      // Without the reference it is written again, as it would stay behind (C19); what it holds is known all the same.
      published: bundle && isControlledBy(bundle, object)
        ? published?.map(({ fingerprint }) => fingerprint)
        : undefined,
      known: [...known.values()],
      leaves: leaves.flatMap(({ certificate, read }) => signedLeaf(certificate, read, { roots, options })),
      servers: isTold(object, view) ? await options.replicas(namespace) : [],
      trustDelayMs: trustDelayOf(object, view),
    },
  };
}

async function readSecret(
  key: ObjectKey,
  { view, readings }: Pick<GatherOptions, "view" | "readings">,
): Promise<SecretReading | undefined> {
  const watched = view.get(key);
  return watched && await readings.of(watched);
}

function found(
  read: SecretReading,
  candidates: readonly CertificateFacts[],
  { signers }: Pick<GatherOptions, "signers">,
): FoundSecret {
  const leaf = read.reading.kind === "pair" ? read.reading.chain[0] : undefined;
  return { ...read, signer: leaf && signers.of(leaf, candidates) };
}

function byAuthority(
  { certificate, signs, trusted, bundle }: AuthorityState,
): { state: IssuerState; bundle: readonly CertificateFacts[] } {
  if (certificate && signs) return { state: { kind: "usable", certificate, trusted }, bundle };
  const problem = "The certificate authority is being made or changed";
  return { state: { kind: "unusable", reason: "IssuerNotReady", problem }, bundle };
}

/** A CA that somebody else looks after: it signs as long as it is there, and what it says is to be trusted. */
function byItsSecret(
  read: SecretReading | undefined,
  name: string,
): { state: IssuerState; bundle: readonly CertificateFacts[] } {
  if (!read) {
    const problem = `There is no Secret "${name}"`;
    return { state: { kind: "unusable", reason: "IssuerNotFound", problem }, bundle: [] };
  }
  const { reading } = read;
  if (reading.kind !== "pair" || !reading.keyMatches || !reading.chain[0].isCA) {
    const problem = `Secret "${name}" holds no certificate authority with its key`;
    return { state: { kind: "unusable", reason: "IssuerNotReady", problem }, bundle: [] };
  }
  const [certificate] = reading.chain;
  const roots = [...rootsIn([reading.chain, reading.trusted ?? []]).values()];
  return {
    state: { kind: "usable", certificate, trusted: true },
    bundle: roots.length > 0 ? roots : [certificate],
  };
}

function permissionOf(
  { metadata: { namespace = "default" } }: StoredCertificate,
  issuerNamespace: string,
  issuer: SecretReading | undefined,
): CertificateInput["permission"] {
  if (issuerNamespace === namespace) return "same-namespace";
  const allowed = (issuer?.metadata.annotations?.[OPERATOR_ANNOTATIONS.allowIssuingTo] ?? "").split(",")
    .map((text) => text.trim());
  return allowed.includes("*") || allowed.includes(namespace) ? "allowed" : "not-allowed";
}

function signedLeaf(
  certificate: StoredCertificate,
  { reading, metadata }: SecretReading,
  { roots, options }: { roots: ReadonlyMap<string, CertificateFacts>; options: GatherOptions },
): SignedLeaf[] {
  if (reading.kind !== "pair") return [];
  const [leaf] = reading.chain;
  return [{
    name: `${metadata.namespace ?? "default"}/${metadata.name}`,
    signer: options.signers.of(leaf, [...roots.values()])?.fingerprint,
    notAfter: leaf.notAfter,
    trusted: (reading.trusted ?? []).map(({ fingerprint }) => fingerprint),
    ours: isSecretOf(metadata, certificate),
  }];
}

/** Whether replicas of a discovery service are being told to trust the CA that is to follow this one. */
function isTold(object: StoredCertificate, view: View): boolean {
  if (object.status?.rotation?.phase !== "Trust") return false;
  const { secretName } = certificateSettings(object);
  return view.all("DiscoveryService", object.metadata.namespace ?? "default").some((service) => {
    return discoveryServiceSettings(service as WatchedObject & DiscoveryService).ca.secretName === secretName; // by its kind
  });
}

function trustDelayOf(object: StoredCertificate, view: View): number {
  const owner = controllerOf(object);
  if (owner?.kind !== "DiscoveryService") return TRUST_DELAY_MS;
  const { namespace = "default" } = object.metadata;
  const service = view.get({ kind: "DiscoveryService", namespace, name: owner.name });
  return service ? discoveryServiceSettings(service as WatchedObject & DiscoveryService).trustDelayMs : TRUST_DELAY_MS;
}

function rootsIn(lists: readonly (readonly CertificateFacts[])[]): Map<string, CertificateFacts> {
  return new Map(
    lists.flat().filter(({ isCA, selfSigned }) => isCA && selfSigned).map((one) => [one.fingerprint, one]),
  );
}

function ownLeaf(read: SecretReading | undefined): readonly CertificateFacts[] {
  return read?.reading.kind === "pair" ? [read.reading.chain[0]] : [];
}

function trustedIn(read: SecretReading | undefined): readonly CertificateFacts[] {
  return read?.reading.kind === "pair" ? read.reading.trusted ?? [] : [];
}

/** What somebody else has put into a Secret makes no CA one of ours: of that only what is remembered is found again. */
function trustedByUs(
  trusted: readonly CertificateFacts[],
  { object, certificate, read }: {
    readonly object: StoredCertificate;
    readonly certificate: StoredCertificate;
    readonly read: SecretReading;
  },
): readonly CertificateFacts[] {
  if (isSecretOf(read.metadata, certificate)) return trusted;
  const { current, earlier = [] } = object.status?.rotation ?? {};
  const remembered = new Set([current, ...earlier.map(({ fingerprint }) => fingerprint)]);
  return trusted.filter(({ fingerprint }) => remembered.has(fingerprint));
}

function textIn(bundle: WatchedObject): Uint8Array {
  const data = (bundle.data ?? {}) as Readonly<Record<string, string>>; // a ConfigMap, by its kind
  return new TextEncoder().encode(data["ca.crt"] ?? "");
}
