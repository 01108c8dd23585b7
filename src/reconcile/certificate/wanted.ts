import { certificateSettings, type DiscoveryServiceCertificate } from "../../api/operator/mod.ts";
import { alternativeNames, type WantedCertificate } from "../../pki/mod.ts";

/** What a certificate shall say, as its object asks for it. */
export function wantedCertificate(object: DiscoveryServiceCertificate): WantedCertificate {
  const { commonName, hosts, uris, isCA, server, validFor, keyAlgorithm } = certificateSettings(object);
  return { commonName, names: alternativeNames(hosts, { uris }), isCA, server, validFor, algorithm: keyAlgorithm };
}
