import type { CertificateFacts, PairReading, WantedCertificate } from "./certificate.ts";

/** The Secret of a certificate, as it was found. */
export type SecretState =
  | { readonly kind: "missing" }
  | {
    readonly kind: "found";
    /** Whether it was made for this certificate: nobody else's is ever written to. */
    readonly ours: boolean;
    readonly reading: PairReading;
    /** The known CA whose key has signed it. */
    readonly signer: CertificateFacts | undefined;
  };

/** Who signs a certificate. */
export type IssuerState =
  | { readonly kind: "itself" }
  /** It cannot sign now: its Secret is missing or broken, it is just being made or changed, or it is not for everybody. */
  | {
    readonly kind: "unusable";
    readonly reason: "IssuerNotFound" | "IssuerNotReady" | "IssuerNotAllowed";
    readonly problem: string;
  }
  | {
    readonly kind: "usable";
    readonly certificate: CertificateFacts;
    /**
     * Whether everybody has been told to trust it for long enough. Until then what an earlier CA has signed stays in use, as
     * long as it lasts.
     */
    readonly trusted: boolean;
  };

/** Everything that the decision about one certificate looks at. */
export interface Situation {
  readonly now: number;
  readonly wanted: WantedCertificate;
  /** `certificateRenewal.enabled`. */
  readonly renewal: boolean;
  readonly secret: SecretState;
  readonly issuer: IssuerState;
  /** The certificates that `ca.crt` shall hold, PEM; `undefined` before anything was issued. */
  readonly bundle: readonly CertificateFacts[] | undefined;
}
