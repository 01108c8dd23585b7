import { alternativeNames, type WantedCertificate } from "../../pki/mod.ts";

/**
 * Root and leaf end together, for the root's key is forgotten once it has signed. A year: should nobody renew for months, webhooks
 * go on. In seconds.
 */
const VALID_FOR_S = 365 * 86_400;

/** The certificate that the webhook shows. Names may be longer than a common name, so they stand where clients look for them. */
export function wantedLeaf(hosts: readonly string[]): WantedCertificate {
  return {
    ...{ commonName: "chancery-webhook", names: alternativeNames(hosts) },
    ...{ isCA: false, server: true, validFor: VALID_FOR_S, algorithm: "ECDSA-P256" },
  };
}

/** Who signs it, and nothing else ever. */
export function wantedRoot(): WantedCertificate {
  return {
    ...{ commonName: "chancery-webhook-ca", names: alternativeNames([]) },
    ...{ isCA: true, server: false, validFor: VALID_FOR_S, algorithm: "ECDSA-P256" },
  };
}
