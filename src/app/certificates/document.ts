import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import type { PairReading } from "../../pki/mod.ts";

/** What the Secret of a certificate holds; never its key. */
export type HeldDocument =
  | {
    readonly kind: "read";
    readonly reading: PairReading;
    /** Fingerprint of the certificate in `ca.crt`, or of itself, whose key has signed it; absent when none of them has. */
    readonly signer?: string;
    /** The Secret that holds the key instead, NAMESPACE/NAME. */
    readonly keyIn?: string;
  }
  | { readonly kind: "missing" }
  /** Whoever asks may not read it. */
  | { readonly kind: "hidden"; readonly problem: string };

/** One certificate: the object, and what its Secret holds. */
export interface CertificateDocument {
  readonly object: DiscoveryServiceCertificate;
  readonly held: HeldDocument;
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
