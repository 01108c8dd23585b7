import {
  type DiscoveryService,
  type DiscoveryServiceCertificateSpec,
  discoveryServiceNames,
  type DiscoveryServiceSettings,
  namespaceUri,
  OPERATOR_API_VERSION,
  ownedLabels,
  SIDECAR_CERTIFICATE,
} from "../../api/operator/mod.ts";
import { controllerReference } from "../engine/owned.ts";
import type { StatedObject } from "../engine/object_source.ts";

/** How long the certificate of the sidecars of a namespace is valid, in seconds. */
const SIDECAR_VALID_FOR = 172_800;

/** The certificates of a DiscoveryService: its CA, its own, and the one that all sidecars of the namespace show. */
export function certificatesOf(
  object: DiscoveryService,
  { settings, hosts }: { settings: DiscoveryServiceSettings; hosts: readonly string[] },
): StatedObject[] {
  const { name, namespace = "default" } = object.metadata;
  const names = discoveryServiceNames(name);
  const signer = { caSigned: { caSecretRef: { name: settings.ca.secretName, namespace } } };
  const keyAlgorithm = object.spec?.pkiConfig?.keyAlgorithm ?? object.spec?.pkiConfg?.keyAlgorithm;

  function certificate(certificateName: string, spec: DiscoveryServiceCertificateSpec): StatedObject {
    return {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryServiceCertificate",
      metadata: {
        name: certificateName,
        namespace,
        labels: ownedLabels("discovery-service", name),
        ownerReferences: [controllerReference(object)],
      },
      spec: { ...spec, ...(keyAlgorithm && { keyAlgorithm }) },
    };
  }

  return [
    certificate(names.caCertificate, {
      commonName: `marin3r-ca-${name}`,
      isCA: true,
      server: false,
      hosts: [`marin3r-ca-${name}`],
      validFor: settings.ca.validFor,
      signer: { selfSigned: {} },
      secretRef: { name: settings.ca.secretName, namespace },
    }),
    certificate(names.serverCertificate, {
      commonName: `marin3r-server-${name}`,
      isCA: false,
      server: true,
      hosts,
      validFor: settings.server.validFor,
      signer,
      secretRef: { name: settings.server.secretName, namespace },
    }),
    certificate(SIDECAR_CERTIFICATE, {
      commonName: SIDECAR_CERTIFICATE,
      isCA: false,
      server: false,
      hosts: [SIDECAR_CERTIFICATE],
      // Only who is asked for a right shows one: without this nobody's certificate changes when an older program is replaced.
      ...(settings.clientAuthorization !== "Off" && { uris: [namespaceUri(namespace)] }),
      validFor: SIDECAR_VALID_FOR,
      signer,
      secretRef: { name: SIDECAR_CERTIFICATE },
    }),
  ];
}
