/** The alternative names of a certificate in canonical form: DNS names in lower case, addresses as RFC 5952 has them; sorted. */
export interface AlternativeNames {
  readonly dns: readonly string[];
  readonly ips: readonly string[];
  readonly uris: readonly string[];
}

/** Extended key usages that we ask for or look at. */
export const EXTENDED_KEY_USAGES = {
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** A certificate as far as decisions look at it. Holds nothing secret. */
export interface CertificateFacts {
  /** One `CERTIFICATE` block in lines of 64 characters, with a line break at the end. */
  readonly pem: string;
  /** SHA-256 of the DER bytes, lower-case hex. */
  readonly fingerprint: string;
  /** The first common name of the subject; empty when there is none. */
  readonly commonName: string;
  readonly names: AlternativeNames;
  readonly isCA: boolean;
  /** OIDs, sorted; empty when the extension is absent, which allows every use. */
  readonly extendedKeyUsages: readonly string[];
  /** Milliseconds since the Unix epoch, as every time in this folder. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** Lower-case hex. */
  readonly serialNumber: string;
  /** Whether it is signed by its own key. */
  readonly selfSigned: boolean;
}

/** What the three keys of a TLS Secret hold, as far as it can be read. Never holds the private key. */
export type PairReading =
  | {
    readonly kind: "incomplete";
    readonly missing: readonly string[];
    /** What there is, where the Secret says that the key is kept elsewhere. */
    readonly shown?: ReadCertificates;
  }
  | { readonly kind: "unreadable"; readonly problem: string }
  | (ReadCertificates & { readonly kind: "pair"; readonly keyMatches: boolean });

/** The certificates of a Secret. */
export interface ReadCertificates {
  /** Never empty; the first is the one the key belongs to, intermediates follow. */
  readonly chain: readonly [CertificateFacts, ...CertificateFacts[]];
  /** Those in `ca.crt`; `undefined` when there is no such key or nothing in it can be read. */
  readonly trusted: readonly CertificateFacts[] | undefined;
}

/** What a Secret holds, whether the key is there or is said to be kept elsewhere. */
export function certificatesIn(reading: PairReading): ReadCertificates | undefined {
  if (reading.kind === "pair") return reading;
  return reading.kind === "incomplete" ? reading.shown : undefined;
}

/** Kinds of keys that we make. */
export type KeyAlgorithm = "ECDSA-P256" | "RSA-2048" | "RSA-3072" | "RSA-4096";

/** What a certificate shall say. */
export interface WantedCertificate {
  readonly commonName: string;
  readonly names: AlternativeNames;
  readonly isCA: boolean;
  /** Whether a server shows it; otherwise, when it is no CA, a client. */
  readonly server: boolean;
  /** In seconds. */
  readonly validFor: number;
  /** Of the new key; what a present certificate has is never compared. */
  readonly algorithm: KeyAlgorithm;
}

/** The extended key usages of what we issue, as OIDs; a CA has none, for they would bind all it signs. */
export function wantedUsages({ server, isCA }: Pick<WantedCertificate, "server" | "isCA">): readonly string[] {
  if (server) return [EXTENDED_KEY_USAGES.serverAuth];
  return isCA ? [] : [EXTENDED_KEY_USAGES.clientAuth];
}
