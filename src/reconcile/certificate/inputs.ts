import type { ApiObject } from "../../api/mod.ts";
import type { DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import type { CertificateFacts, IssuerState, PairReading, SignedLeaf } from "../../pki/mod.ts";

/** A Secret as it was found, without its private key. */
export interface FoundSecret {
  readonly metadata: ApiObject["metadata"];
  readonly reading: PairReading;
  /** The known CA whose key has signed what it holds. */
  readonly signer: CertificateFacts | undefined;
  /** `certificateHash` of `tls.crt`. */
  readonly hash: string | undefined;
}

/** What was found out about one certificate. */
export interface CertificateInput {
  readonly now: number;
  readonly object: DiscoveryServiceCertificate;
  readonly secret: FoundSecret | undefined;
  readonly issuer: IssuerState;
  /** Whether the CA may sign for this namespace (S8). */
  readonly permission: "same-namespace" | "allowed" | "not-allowed";
  /** Whether whoever holds a certificate of a CA that does not allow it has to do without (S8). */
  readonly strictIssuers: boolean;
  /** What `ca.crt` shall hold; `undefined` for what is signed by its own key, which is then all there is to trust. */
  readonly bundle: readonly CertificateFacts[] | undefined;
}

/** What was found out about a certificate authority that signs itself, whose changes take several steps (A3). */
export interface AuthorityInput extends Omit<CertificateInput, "issuer" | "permission" | "strictIssuers" | "bundle"> {
  /** `<name>-next`. */
  readonly next: FoundSecret | undefined;
  /** Where the key is kept elsewhere: what lies in the Secret beside the CA. */
  readonly shown: { readonly secret: FoundSecret | undefined } | undefined;
  /** Fingerprints in the bundle object. */
  readonly published: readonly string[] | undefined;
  /** CAs in the bundle object and in every `ca.crt`; of what somebody else wrote only those that are remembered. */
  readonly known: readonly CertificateFacts[];
  readonly leaves: readonly SignedLeaf[];
  readonly servers: readonly { readonly name: string; readonly bundle: string | undefined }[];
  readonly trustDelayMs: number;
}
