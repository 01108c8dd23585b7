import type { DiscoveryServiceCertificate } from "./discovery_service_certificate.ts";

/** A DiscoveryServiceCertificate as it is meant: every default filled in, here and nowhere else. */
export interface CertificateSettings {
  readonly commonName: string;
  readonly hosts: readonly string[];
  readonly uris: readonly string[];
  readonly isCA: boolean;
  readonly server: boolean;
  /** In seconds. */
  readonly validFor: number;
  readonly keyAlgorithm: "ECDSA-P256" | "RSA-2048" | "RSA-3072" | "RSA-4096";
  readonly renewal: boolean;
  readonly secretName: string;
  /** The Secret of the CA; `undefined`: it is signed by its own key. An empty namespace finds nothing. */
  readonly issuer: { readonly name: string; readonly namespace: string } | undefined;
}

/** Fills in what a DiscoveryServiceCertificate leaves open. */
export function certificateSettings({ spec }: DiscoveryServiceCertificate): CertificateSettings {
  const { caSigned } = spec.signer;
  const renewal = spec.certificateRenewal ?? spec.certificateRenewalConfig;
  return {
    commonName: spec.commonName,
    hosts: spec.hosts?.length ? spec.hosts : [spec.commonName],
    uris: spec.uris ?? [],
    isCA: spec.isCA ?? false,
    server: spec.server ?? false,
    validFor: spec.validFor,
    keyAlgorithm: spec.keyAlgorithm ?? "ECDSA-P256",
    renewal: renewal?.enabled ?? true,
    secretName: spec.secretRef.name ?? "",
    issuer: caSigned && {
      name: caSigned.caSecretRef.name ?? "",
      namespace: caSigned.caSecretRef.namespace ?? "",
    },
  };
}
