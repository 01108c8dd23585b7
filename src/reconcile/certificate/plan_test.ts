import { testCases } from "../../../tests/golden/cases.ts";
import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import { OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { type CertificateFacts, type IssuerState, type SignedLeaf, wantedUsages } from "../../pki/mod.ts";
import type { AuthorityInput, CertificateInput, FoundSecret } from "./inputs.ts";
import { planAuthority } from "./plan_authority.ts";
import { planCertificate } from "./plan.ts";
import { wantedCertificate } from "./wanted.ts";

/** A case, with as little said as needed; what it leaves open fits the object. */
interface Case {
  readonly now: string;
  readonly object: Omit<DiscoveryServiceCertificate, "apiVersion" | "kind">;
  readonly secret?: SecretCase;
  readonly issuer?: { readonly unusable?: string; readonly fingerprint?: string; readonly trusted?: boolean };
  readonly permission?: CertificateInput["permission"];
  readonly strictIssuers?: boolean;
  readonly bundle?: readonly string[];
  // Of a certificate authority:
  readonly next?: SecretCase;
  /** Where the key is kept elsewhere: what lies beside the CA. */
  readonly shown?: { readonly secret?: SecretCase };
  readonly published?: readonly string[];
  readonly known?: readonly string[];
  readonly leaves?: readonly { name: string; signer: string; notAfter: string; trusted?: string[]; ours?: boolean }[];
  readonly servers?: readonly { readonly name: string; readonly bundle?: string }[];
}

interface SecretCase {
  readonly owner?: string;
  readonly annotations?: Record<string, string>;
  readonly missing?: readonly string[];
  readonly problem?: string;
  readonly certificate?: Record<string, unknown>;
  readonly keyMatches?: boolean;
  readonly trusted?: readonly string[];
  readonly signer?: string;
}

testCases(new URL("./testdata/certificate", import.meta.url), {
  name: "planCertificate()",
  run(input) {
    const given = input as unknown as Case; // our own files
    const object = objectOf(given);
    const plan = planCertificate({
      now: Date.parse(given.now),
      object,
      secret: given.secret && secretOf(given.secret, object),
      issuer: issuerOf(given, object),
      permission: given.permission ?? "same-namespace",
      strictIssuers: given.strictIssuers ?? false,
      bundle: object.spec.signer.caSigned ? (given.bundle ?? ["ca"]).map(rootOf) : undefined,
    });
    return {
      secret: plan.secret.do === "complete"
        ? { do: "complete", bundle: plan.secret.bundle.map(({ fingerprint }) => fingerprint) }
        : plan.secret,
      ...told(plan),
    };
  },
});

testCases(new URL("./testdata/authority", import.meta.url), {
  name: "planAuthority()",
  run(input) {
    const given = input as unknown as Case; // our own files
    const object = objectOf(given);
    const all: AuthorityInput = {
      now: Date.parse(given.now),
      object,
      secret: given.secret && secretOf(given.secret, object),
      next: given.next && secretOf(given.next, object),
      shown: given.shown && { secret: given.shown.secret && secretOf(given.shown.secret, object) },
      published: given.published,
      known: (given.known ?? given.published ?? []).map(rootOf),
      leaves: (given.leaves ?? []).map((leaf): SignedLeaf => ({
        ...{ trusted: [], ours: true },
        ...leaf,
        notAfter: Date.parse(leaf.notAfter),
      })),
      servers: (given.servers ?? []).map(({ name, bundle }) => ({ name, bundle })),
      trustDelayMs: 300_000,
    };
    const { step, bundle, complete, signs, trusted, ...plan } = planAuthority(all);
    return { step: step.do === "remember" ? "remember" : step, bundle, complete, signs, trusted, ...told(plan) };
  },
});

function told(plan: { status: unknown; events: readonly unknown[]; next: number | undefined }) {
  return {
    status: plan.status ?? "unchanged",
    ...(plan.events.length > 0 ? { events: plan.events } : {}),
    next: plan.next === undefined ? "when something changes" : new Date(plan.next).toISOString(),
  };
}

function objectOf({ object }: Case): DiscoveryServiceCertificate {
  const metadata = { namespace: "ns", uid: "object-uid", generation: 1, ...object.metadata };
  return { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryServiceCertificate", ...object, metadata };
}

function secretOf(given: SecretCase, object: DiscoveryServiceCertificate): FoundSecret {
  const owner = given.owner ?? "object-uid";
  const metadata = {
    name: "secret",
    namespace: "ns",
    uid: "secret-uid",
    ...(given.annotations && { annotations: given.annotations }),
    ...(owner !== "" && {
      ownerReferences: [{
        ...{ apiVersion: OPERATOR_API_VERSION, kind: object.kind, name: object.metadata.name, uid: owner },
        controller: true,
      }],
    }),
  };
  const signer = given.signer === "" ? undefined : rootOf(given.signer ?? "ca");
  if (given.missing) {
    return { metadata, reading: { kind: "incomplete", missing: given.missing }, signer, hash: undefined };
  }
  if (given.problem !== undefined) {
    return { metadata, reading: { kind: "unreadable", problem: given.problem }, signer, hash: undefined };
  }
  const trusted = given.trusted?.map(rootOf);
  const chain = [leafOf(object, given.certificate ?? {})] as const;
  return {
    metadata,
    reading: { kind: "pair", chain, keyMatches: given.keyMatches ?? true, trusted },
    signer,
    hash: "hash",
  };
}

/** What the object asks for, issued by an older program or us. */
function leafOf(object: DiscoveryServiceCertificate, given: Record<string, unknown>): CertificateFacts {
  const wanted = wantedCertificate(object);
  const { commonName, names, isCA } = wanted;
  const base: CertificateFacts = {
    ...{ pem: "", fingerprint: "leaf", commonName, names, isCA, extendedKeyUsages: wantedUsages(wanted) },
    ...{ serialNumber: "1", selfSigned: isCA && !object.spec.signer.caSigned, notBefore: 0, notAfter: 0 },
  };
  const times = Object.fromEntries(
    ["notBefore", "notAfter"].map((name) => [name, Date.parse(String(given[name]))]),
  );
  return { ...base, ...given, ...times };
}

function rootOf(fingerprint: string): CertificateFacts {
  return {
    ...{ pem: `${fingerprint}\n`, fingerprint, commonName: "ca", names: { dns: [], ips: [], uris: [] }, isCA: true },
    ...{ extendedKeyUsages: [], serialNumber: "1", selfSigned: true },
    ...{ notBefore: Date.parse("2026-01-01T00:00:00Z"), notAfter: Date.parse("2028-12-31T00:00:00Z") },
  };
}

function issuerOf({ issuer = {} }: Case, object: DiscoveryServiceCertificate): IssuerState {
  if (!object.spec.signer.caSigned) return { kind: "itself" };
  if (issuer.unusable !== undefined) return { kind: "unusable", reason: "IssuerNotFound", problem: issuer.unusable };
  return { kind: "usable", certificate: rootOf(issuer.fingerprint ?? "ca"), trusted: issuer.trusted ?? true };
}
