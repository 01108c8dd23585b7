import type { CertificateDocument, CertificatesDocument } from "../../app/certificates/mod.ts";
import { certificateSettings, OPERATOR_ANNOTATIONS } from "../../api/operator/mod.ts";
import { type CertificateFacts, certificatesIn, type PairReading } from "../../pki/mod.ts";
import type { CertCommands } from "./next.ts";
import { type CertProblem, problemsOf } from "./problems.ts";
import { webhookItem } from "./webhook_item.ts";

/** One certificate in `chancery certs -o json`. Every field is there in every item; what is not known is null. */
export interface CertItem {
  readonly namespace: string;
  readonly name: string;
  readonly type: "CA" | "server" | "client";
  /** Name of the Secret, in the same namespace. */
  readonly secret: string;
  /** The Secret that holds the key, as NAMESPACE/NAME, where it is another one; null otherwise. */
  readonly keySecret: string | null;
  /** Common name of the CA that has signed it; `itself`; null when it is not known. */
  readonly issuer: string | null;
  /** The Secret of the CA that is to sign it, as NAMESPACE/NAME; null for what signs itself. */
  readonly issuerSecret: string | null;
  /** RFC 3339; of what the Secret holds, or of the status where that may not be read. */
  readonly notBefore: string | null;
  readonly notAfter: string | null;
  /** Until it ends; negative when it has. */
  readonly secondsLeft: number | null;
  readonly fingerprint: string | null;
  readonly commonName: string;
  /** Names, addresses and URIs in it. */
  readonly names: readonly string[];
  /** The node id that it is for; null for those that are for others, too. */
  readonly nodeId: string | null;
  /** From itself up to the CA, as far as its Secret holds them; null when it is not known. */
  readonly chain: readonly ChainLink[] | null;
  /** What is told to be trusted of a CA; null for all others, and when it is not known. */
  readonly bundle: { readonly configMap: string; readonly certificates: readonly ChainLink[] } | null;
  /** Fingerprints of what is in `ca.crt`; null when it is not known. */
  readonly trusted: readonly string[] | null;
  readonly renewal: boolean;
  /** `Ready`, `Expired`, `Missing`, `Broken` or `NotReady`. */
  readonly state: string;
  /** Of a CA. */
  readonly rotation: {
    readonly phase: string;
    readonly since: string;
    readonly current: string;
    readonly earlier: readonly { readonly fingerprint: string; readonly until: string }[];
  } | null;
  readonly problems: readonly CertProblem[];
}

/** One certificate of several that belong together. */
export interface ChainLink {
  readonly commonName: string;
  readonly fingerprint: string;
  /** RFC 3339. */
  readonly notAfter: string;
  /** Negative when it has ended. */
  readonly secondsLeft: number;
}

/** The whole of `chancery certs -o json`: fields are added here, never removed or given another meaning. */
export interface CertsReport {
  readonly version: 1;
  readonly server: string;
  readonly now: string;
  /** No item has an error. */
  readonly ok: boolean;
  readonly items: readonly CertItem[];
}

/** Makes the report of what was found. */
export function certsReport(
  { now, certificates, webhooks }: CertificatesDocument,
  { server, wanted, commands }: {
    server: string;
    wanted: (item: Pick<CertItem, "namespace" | "name">) => boolean;
    commands: CertCommands;
  },
): CertsReport {
  const options = { now: Date.parse(now), commands };
  const items = [
    ...certificates.map((one) => certItem(one, options)),
    ...webhooks.map((one) => webhookItem(one, options)),
  ].filter(wanted)
    .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1));
  const ok = !items.some(({ problems }) => problems.some(({ severity }) => severity === "error"));
  return { version: 1, server, now, ok, items };
}

function certItem(document: CertificateDocument, { now, commands }: { now: number; commands: CertCommands }): CertItem {
  const { object, held, bundle } = document;
  const { metadata: { namespace = "default", name, annotations = {} }, status = {} } = object;
  const settings = certificateSettings(object);
  const pair = held.kind === "read" ? certificatesIn(held.reading) : undefined;
  const leaf = pair?.chain[0];
  const known = held.kind === "hidden"; // then the status has to do
  const notAfter = leaf ? timeText(leaf.notAfter) : known ? status.notAfter ?? null : null;
  const { rotation } = status;
  return {
    ...{ namespace, name, type: settings.isCA ? "CA" : settings.server ? "server" : "client" },
    secret: settings.secretName,
    keySecret: held.kind === "read" ? held.keyIn ?? null : null,
    issuer: issuerOf(document, leaf),
    issuerSecret: settings.issuer ? `${settings.issuer.namespace}/${settings.issuer.name}` : null,
    notBefore: leaf ? timeText(leaf.notBefore) : known ? status.notBefore ?? null : null,
    notAfter,
    secondsLeft: notAfter === null ? null : Math.floor((Date.parse(notAfter) - now) / 1000),
    fingerprint: leaf?.fingerprint ?? null,
    commonName: leaf?.commonName ?? settings.commonName,
    names: leaf ? [...leaf.names.dns, ...leaf.names.ips, ...leaf.names.uris] : [],
    nodeId: annotations[OPERATOR_ANNOTATIONS.nodeId] ?? null,
    chain: held.kind === "read" ? linksOf(held.path, now) : null,
    bundle: bundle ? { configMap: bundle.name, certificates: linksOf(bundle.certificates ?? [], now) } : null,
    trusted: pair?.trusted?.map(({ fingerprint }) => fingerprint) ?? null,
    renewal: settings.renewal,
    state: stateOf(document, { leaf, notAfter, now }),
    rotation: rotation
      ? {
        ...{ phase: rotation.phase, since: rotation.since, current: rotation.current },
        earlier: rotation.earlier ?? [],
      }
      : null,
    problems: problemsOf(document, { now, commands }),
  };
}

function issuerOf({ held }: CertificateDocument, leaf: CertificateFacts | undefined): string | null {
  if (!leaf || held.kind !== "read") return null;
  return leaf.selfSigned ? "itself" : held.path[1]?.commonName ?? null;
}

function stateOf(
  { object, held }: CertificateDocument,
  { leaf, notAfter, now }: { leaf: CertificateFacts | undefined; notAfter: string | null; now: number },
): string {
  if (held.kind === "missing") return "Missing";
  if (held.kind === "read" && isBroken(held.reading)) return "Broken";
  if (notAfter !== null && Date.parse(notAfter) <= now) return "Expired";
  if (leaf && leaf.notBefore > now) return "NotReady";
  return object.status?.ready ? "Ready" : "NotReady";
}

function isBroken(reading: PairReading): boolean {
  return reading.kind === "pair" ? !reading.keyMatches : certificatesIn(reading) === undefined;
}

/** Certificates as the report has them; `now` in milliseconds. */
export function linksOf(certificates: readonly CertificateFacts[], now: number): readonly ChainLink[] {
  return certificates.map(({ commonName, fingerprint, notAfter }) => ({
    ...{ commonName, fingerprint, notAfter: timeText(notAfter) },
    secondsLeft: Math.floor((notAfter - now) / 1000),
  }));
}

/** RFC 3339, in whole seconds. */
export function timeText(time: number): string {
  return new Date(time).toISOString().replace(".000", "");
}
