import type { ApiObject } from "../../api/mod.ts";
import type { CertificateFacts, PairReading } from "../../pki/mod.ts";

/** A Secret with a certificate for the webhook, as it was found. */
export interface FoundPair {
  readonly metadata: ApiObject["metadata"];
  /** Whether it was made here: nobody else's is ever written to (C6). */
  readonly ours: boolean;
  readonly reading: PairReading;
  /** Who has signed it, of all that is trusted anywhere. */
  readonly root: CertificateFacts | undefined;
}

/** One webhook of a configuration that calls the Service, or a URL. */
export interface FoundEntry {
  /** Its place in the list of all. */
  readonly index: number;
  /** What the API server trusts there; empty when nothing is said, or nothing of it can be read. */
  readonly trusted: readonly CertificateFacts[];
  /** Whether the API server goes on without it where it does not answer. */
  readonly ignoresFailures: boolean;
  /** Whom the API server dials when it is a URL. */
  readonly host?: string;
}

/** A MutatingWebhookConfiguration or a ValidatingWebhookConfiguration, as far as it calls the Service. */
export interface FoundConfiguration {
  readonly kind: string;
  readonly metadata: ApiObject["metadata"];
  readonly entries: readonly FoundEntry[];
  /** Whether it asks for `failurePolicy: Fail` once the webhook answers. */
  readonly shallFail: boolean;
  /** Who else writes its `caBundle`. */
  readonly keptBy?: string;
}

/** A replica of the webhook that lives. */
export interface FoundReplica {
  readonly name: string;
  /** Fingerprint of the certificate that it shows; `undefined` when it does not say. */
  readonly certificate: string | undefined;
}

/** Everything that the decision about the webhook's certificate looks at. */
export interface WebhookCertificateInput {
  /** By the clock of the API server, which is the one that takes certificates for valid or not. In milliseconds. */
  readonly now: number;
  /** Names that the API server dials; an address or a DNS name. */
  readonly hosts: readonly string[];
  readonly secret: FoundPair | undefined;
  /** What is to follow it. */
  readonly next: FoundPair | undefined;
  readonly configurations: readonly FoundConfiguration[];
  /** `undefined` when nobody can be seen. */
  readonly replicas: readonly FoundReplica[] | undefined;
  /** How long all configurations have been seen to trust all that they should, without a break. In milliseconds. */
  readonly trustedForMs: number;
  /** How long all replicas have been seen to show the present certificate, without a break. In milliseconds. */
  readonly servedForMs: number;
  /** How long that has to be before the earlier one is trusted no longer. In milliseconds. */
  readonly retireMs: number;
}
