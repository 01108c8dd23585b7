import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import type { CertificateFacts, PairReading } from "../../pki/mod.ts";

/** What the Secret of a certificate holds; never its key. */
export type HeldDocument =
  | {
    readonly kind: "read";
    readonly reading: PairReading;
    /** The certificate and those that have signed each other above it, as far as the Secret holds them; empty when there is none. */
    readonly path: readonly CertificateFacts[];
    /** The Secret that holds the key instead, NAMESPACE/NAME. */
    readonly keyIn?: string;
  }
  | { readonly kind: "missing" }
  /** Whoever asks may not read it. */
  | { readonly kind: "hidden"; readonly problem: string };

/** The ConfigMap of what is to be trusted of a CA. */
export interface BundleDocument {
  readonly name: string;
  /** What it holds; `undefined` when there is no such ConfigMap, or nothing in it can be read. */
  readonly certificates: readonly CertificateFacts[] | undefined;
}

/** One certificate: the object, and what its Secret holds. */
export interface CertificateDocument {
  readonly object: DiscoveryServiceCertificate;
  readonly held: HeldDocument;
  /** Of a CA that signs itself; absent for all others, and for who may not read it. */
  readonly bundle?: BundleDocument;
}

/** The certificate of a webhook, which no object asks for: its Secret is all there is. */
export interface WebhookCertificateDocument {
  readonly namespace: string;
  /** Of the Secret. */
  readonly name: string;
  readonly uid: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly held: HeldDocument;
  /** Since when there is another one that is to follow, RFC 3339. */
  readonly nextSince?: string;
}

/** What was found at one look. */
export interface CertificatesDocument {
  /** RFC 3339. */
  readonly now: string;
  readonly certificates: readonly CertificateDocument[];
  readonly webhooks: readonly WebhookCertificateDocument[];
}
