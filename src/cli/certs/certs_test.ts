import type { CertificateDocument, WebhookCertificateDocument } from "../../app/certificates/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { type CertificateFacts, certificatesIn, type PairReading } from "../../pki/mod.ts";
import { testCases } from "../../../tests/golden/cases.ts";
import { fakeTerminal } from "../fake_terminal.ts";
import { type CertsValues, runCerts } from "./run.ts";

/** A certificate as a case writes it down; what it leaves out is usual. */
interface StoredFacts extends Partial<Omit<CertificateFacts, "notBefore" | "notAfter">> {
  readonly fingerprint: string;
  readonly notBefore?: string;
  readonly notAfter?: string;
}

/** What a case says. */
interface Case {
  readonly words?: readonly string[];
  readonly values?: Partial<CertsValues>;
  readonly outputs?: readonly CertsValues["output"][];
  readonly webhooks?: readonly {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly nextSince?: string;
    readonly leaf?: StoredFacts;
    readonly trusted?: readonly StoredFacts[];
    readonly signer?: string;
  }[];
  readonly certificates?: readonly {
    readonly name: string;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly spec: Partial<CertificateDocument["object"]["spec"]>;
    readonly status?: CertificateDocument["object"]["status"];
    readonly held?: Readonly<Record<string, unknown>>;
    readonly leaf?: StoredFacts;
    readonly trusted?: readonly StoredFacts[];
    readonly signer?: string;
    readonly keyMatches?: boolean;
    readonly keyIn?: string;
    /** What the ConfigMap holds; null: nothing. */
    readonly bundle?: readonly StoredFacts[] | null;
  }[];
}

const VALUES: CertsValues = {
  ...{ namespace: undefined, allNamespaces: false, selector: undefined },
  ...{ output: "text", exitCode: true, force: false },
};

testCases(new URL("./testdata", import.meta.url), {
  name: "chancery certs",
  async run(input) {
    const { words = [], values = {}, outputs = ["text"], certificates = [], webhooks = [] } = input as unknown as Case; // cases are ours
    const said: unknown[] = [];
    for (const output of outputs) {
      const asked: unknown[] = [];
      const { context, told } = fakeTerminal();
      const ask = (verb: string) => ({ namespace, name }: ObjectKey, options: object) => {
        asked.push({ verb, about: `${namespace}/${name}`, ...options });
        return Promise.resolve();
      };
      const source = {
        ...{ server: "https://cluster", namespace: "shop", rotate: ask("rotate"), distrust: ask("distrust") },
        list: () =>
          Promise.resolve({
            now: "2026-01-31T12:00:00.000Z",
            certificates: certificates.map(documentOf),
            webhooks: webhooks.map(webhookOf),
          }),
      };
      const options = { source, flags: " --context prod", context, words };
      const status = await runCerts({ ...VALUES, ...values, output }, options).catch((thrown) => {
        if (!(thrown instanceof ChanceryError)) throw thrown;
        told.err += thrown.message;
        return 2;
      });
      const out = output === "json" ? JSON.parse(told.out) : told.out;
      said.push({ output, status, out, ...(told.err && { err: told.err }), ...(asked.length > 0 && { asked }) });
    }
    return said;
  },
});

function documentOf(one: NonNullable<Case["certificates"]>[number]): CertificateDocument {
  const { name, spec, status, annotations, leaf, trusted, signer, keyMatches = true, keyIn } = one;
  const object: CertificateDocument["object"] = {
    ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryServiceCertificate" },
    metadata: { name, namespace: "shop", uid: `uid-of-${name}`, generation: 1, ...(annotations && { annotations }) },
    spec: { commonName: name, validFor: 3600, signer: {}, secretRef: { name }, ...spec },
    ...(status && { status }),
  };
  const given = { ...(one.held?.kind === "read" && { path: [] }), ...(one.held ?? { kind: "missing" }) };
  if (!leaf) return { object, held: given as CertificateDocument["held"] }; // cases are ours
  const certificates = { chain: [factsOf(leaf)] as const, trusted: trusted?.map(factsOf) };
  const reading: PairReading = keyIn === undefined
    ? { kind: "pair", ...certificates, keyMatches }
    : { kind: "incomplete", missing: ["tls.key"], shown: certificates };
  const held = { kind: "read", reading, path: pathTo(signer, reading), ...(keyIn !== undefined && { keyIn }) } as const;
  if (one.bundle === undefined) return { object, held };
  return { object, held, bundle: { name: `bundle-of-${name}`, certificates: one.bundle?.map(factsOf) } };
}

function webhookOf(
  { name, leaf, trusted, signer, ...rest }: NonNullable<Case["webhooks"]>[number],
): WebhookCertificateDocument {
  const reading: PairReading = leaf
    ? { kind: "pair", chain: [factsOf(leaf)], trusted: trusted?.map(factsOf), keyMatches: true }
    : { kind: "unreadable", problem: "tls.crt is no certificate that can be read" };
  const held = { kind: "read", reading, path: pathTo(signer, reading) } as const;
  return { namespace: "shop", name, uid: `uid-of-${name}`, held, ...rest };
}

/** What a case says that has signed the certificate, where it is another one. */
function pathTo(signer: string | undefined, reading: PairReading): readonly CertificateFacts[] {
  const { chain: [leaf], trusted = [] } = certificatesIn(reading) ?? { chain: [] };
  const over = trusted.filter(({ fingerprint }) => fingerprint === signer && fingerprint !== leaf?.fingerprint);
  return leaf ? [leaf, ...over] : [];
}

function factsOf(
  { notBefore = "2026-01-31T11:00:00Z", notAfter = "2026-01-31T13:00:00Z", ...given }: StoredFacts,
): CertificateFacts {
  return {
    ...{ pem: "", commonName: `CN of ${given.fingerprint}`, names: { dns: [], ips: [], uris: [] } },
    ...{ isCA: false, extendedKeyUsages: [], serialNumber: "01", selfSigned: false },
    ...given,
    ...{ notBefore: Date.parse(notBefore), notAfter: Date.parse(notAfter) },
  };
}
