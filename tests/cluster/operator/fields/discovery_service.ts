import type { FieldTable } from "./field_case.ts";
import { POD_CASES } from "./pod_fields.ts";

/** What every DiscoveryService says that a field is tried out with: no pods, for there is no node. */
export const COMMON = { replicas: 0 };

/** Both spellings are the same. */
function pkiCases(spelling: string): FieldTable {
  return Object.fromEntries(
    Object.entries<FieldTable[string]>({
      "rootCertificateAuthority.secretName": { to: "root", leaves: ["secrets/root"] },
      "rootCertificateAuthority.duration": { to: "8760h" },
      "serverCertificate.secretName": { to: "shown", leaves: ["secrets/shown"] },
      "serverCertificate.duration": { to: "240h" },
      "serverCertificate.hosts": { to: ["xds.example.com", "192.0.2.1"] },
      keyAlgorithm: { to: "RSA-2048" },
      trustDelay: { to: "1m" },
    }).map(([field, one]) => [`${spelling}.${field}`, one]),
  );
}

/** All fields of a DiscoveryService. */
export const DISCOVERY_SERVICE_CASES: FieldTable = {
  image: { to: "registry.example.com/chancery:2" },
  debug: { to: true },
  replicas: { to: 1 },
  resources: { to: { requests: { cpu: "100m" }, limits: { memory: "256Mi" } } },
  ...pkiCases("pkiConfg"),
  ...pkiCases("pkiConfig"),
  xdsServerPort: { to: 18001 },
  metricsPort: { to: 9383 },
  probePort: { to: 9384 },
  // Envoys that were started with the earlier name know no other one.
  "serviceConfig.name": { to: "control", leaves: ["services/control"] },
  "serviceConfig.type": { to: "Headless" },
  // Clients have that long to read certificates that say what they are good for.
  clientAuthorization: { to: "Namespace", given: { pkiConfig: { trustDelay: "1s" } } },
  clientAuthorizationAction: {
    to: "Warn",
    given: { clientAuthorization: "Namespace", pkiConfig: { trustDelay: "1s" } },
  },
  ...POD_CASES,
};
