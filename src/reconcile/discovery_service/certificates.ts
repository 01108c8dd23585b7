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
import { controllerReference, type LiveObjects } from "../engine/owned.ts";
import type { StatedObject } from "../engine/object_source.ts";
import { clientCertificateSpec } from "../certificate/client_certificate.ts";
import { grantedUris } from "../certificate/granted_uris.ts";

/** How long the certificate of the sidecars of a namespace is valid, in seconds. */
const SIDECAR_VALID_FOR = 172_800;

/** What all certificates of a DiscoveryService have in common. */
export function certificateObject(
  object: DiscoveryService,
  { name, spec, annotations }: {
    name: string;
    spec: DiscoveryServiceCertificateSpec;
    annotations?: Readonly<Record<string, string>>;
  },
): StatedObject {
  const { namespace = "default" } = object.metadata;
  const keyAlgorithm = object.spec?.pkiConfig?.keyAlgorithm ?? object.spec?.pkiConfg?.keyAlgorithm;
  return {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    metadata: {
      name,
      namespace,
      labels: ownedLabels("discovery-service", object.metadata.name),
      ...(annotations && { annotations }),
      ownerReferences: [controllerReference(object)],
    },
    spec: { ...spec, ...(keyAlgorithm && { keyAlgorithm }) },
  };
}

/** A certificate that sidecars show, kept in a Secret of its own name. */
export function sidecarCertificate(
  object: DiscoveryService,
  { settings, name, uris, annotations }: {
    settings: DiscoveryServiceSettings;
    name: string;
    uris: readonly string[] | undefined;
    annotations?: Readonly<Record<string, string>>;
  },
): StatedObject {
  return certificateObject(object, {
    name,
    ...(annotations && { annotations }),
    spec: clientCertificateSpec(name, { uris, validFor: SIDECAR_VALID_FOR, authority: authorityOf(object, settings) }),
  });
}

/** The certificates of a DiscoveryService: its CA, its own, and the one that all sidecars of the namespace show. */
export function certificatesOf(
  object: DiscoveryService,
  { settings, hosts, live }: { settings: DiscoveryServiceSettings; hosts: readonly string[]; live: LiveObjects },
): { readonly own: readonly StatedObject[]; readonly sidecar: StatedObject } {
  const { name, namespace = "default" } = object.metadata;
  const names = discoveryServiceNames(name);
  const own = [
    certificateObject(object, {
      name: names.caCertificate,
      spec: {
        commonName: `marin3r-ca-${name}`,
        isCA: true,
        server: false,
        hosts: [`marin3r-ca-${name}`],
        validFor: settings.ca.validFor,
        signer: { selfSigned: {} },
        secretRef: { name: settings.ca.secretName, namespace },
      },
    }),
    certificateObject(object, {
      name: names.serverCertificate,
      spec: {
        commonName: `marin3r-server-${name}`,
        isCA: false,
        server: true,
        hosts,
        validFor: settings.server.validFor,
        signer: { caSigned: { caSecretRef: authorityOf(object, settings) } },
        secretRef: { name: settings.server.secretName, namespace },
      },
    }),
  ];
  const found = live.get({ kind: "DiscoveryServiceCertificate", namespace, name: SIDECAR_CERTIFICATE });
  const wanted = settings.clientAuthorization === "Off" ? undefined : [namespaceUri(namespace)];
  const sidecar = sidecarCertificate(object, {
    ...{ settings, name: SIDECAR_CERTIFICATE, uris: grantedUris(found, { wanted }) },
  });
  return { own, sidecar };
}

/** The Secret of its CA. */
function authorityOf({ metadata: { namespace = "default" } }: DiscoveryService, { ca }: DiscoveryServiceSettings) {
  return { name: ca.secretName, namespace };
}
