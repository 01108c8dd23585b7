import { shortHash } from "../../base/hash/mod.ts";
import { GROUP, OPERATOR_GROUP } from "../names.ts";

export { OPERATOR_API_VERSION, OPERATOR_GROUP } from "../names.ts";

/** Annotations by which people steer the operator, and by which it knows what it made. */
export const OPERATOR_ANNOTATIONS = {
  /** `true` on one of our objects: nothing that belongs to it is written until it is taken away. */
  paused: `${OPERATOR_GROUP}/paused`,
  /** On the Secret of a CA: the other namespaces that may have certificates signed by it, or `*` (S8). */
  allowIssuingTo: `${GROUP}/allow-issuing-to`,
  /** On the certificate of a CA: the SHA-256 of the CA that shall be changed for another one. */
  rotate: `${OPERATOR_GROUP}/rotate`,
  /** On the certificate of a CA: fingerprints of earlier CAs that shall not be trusted any more, separated by commas. */
  distrust: `${OPERATOR_GROUP}/distrust`,
  /**
   * On a Secret that we made: the certificate it was made for, in case its owner reference is lost; with its namespace where it is of
   * another one.
   */
  certificate: `${OPERATOR_GROUP}/certificate`,
  /** On the Secret of a CA without its key: the Secret, NAMESPACE/NAME, that holds the key. */
  keyIn: `${OPERATOR_GROUP}/key-in`,
  /** On the Secret with the key of a CA: the DiscoveryService that it goes with, NAMESPACE/NAME, and its uid. */
  discoveryService: `${OPERATOR_GROUP}/discovery-service`,
  discoveryServiceUid: `${OPERATOR_GROUP}/discovery-service-uid`,
  /** On the certificate of a node id: which one it is. */
  nodeId: `${GROUP}/node-id`,
  /** On the certificate of a node id that no EnvoyConfig has: since when, in RFC 3339. */
  unusedSince: `${OPERATOR_GROUP}/unused-since`,
  /** On a Deployment that we made: the hash of the server certificate that is in use. */
  serverCertificateHash: `${GROUP}/server-certificate-hash`,
} as const;

/** Of these labels everything that the operator makes carries all, and nothing else is watched. */
export const MANAGED_LABELS = { "app.kubernetes.io/managed-by": "marin3r-operator" } as const;

/** Labels of everything the operator makes, of its pods, and the selectors by which they are found. */
export function ownedLabels(component: "discovery-service" | "envoy-deployment", instance: string) {
  return {
    "app.kubernetes.io/name": "marin3r",
    ...MANAGED_LABELS,
    "app.kubernetes.io/component": component,
    "app.kubernetes.io/instance": instance,
  } as const;
}

/**
 * The ClusterRole of every discovery service. It is bound by name, which asks for the verb `bind` on it alone: whoever makes a Role
 * must hold all that the Role grants, and the operator is not to read everybody's Secrets (S4).
 */
export const DISCOVERY_SERVICE_ROLE = "chancery-discovery-service";

/** The Secret of the certificate that all sidecars of a namespace show. */
export const SIDECAR_CERTIFICATE = "envoy-sidecar-client-cert";

/**
 * The Secret of the certificate that the sidecars with a node id show where each needs its own. Node ids may be longer than names and
 * hold anything; of 80 bits of a hash no two are equal by chance.
 */
export function nodeCertificateName(nodeId: string): string {
  return `${SIDECAR_CERTIFICATE}-${shortHash(nodeId, 16)}`;
}

/** Names of what is made of a DiscoveryService. */
export function discoveryServiceNames(name: string) {
  return {
    /** Deployment, ServiceAccount, RoleBinding, PodDisruptionBudget, and the Service unless it is named otherwise. */
    workload: `marin3r-${name}`,
    caCertificate: `marin3r-ca-cert-${name}`,
    serverCertificate: `marin3r-server-cert-${name}`,
    /** ConfigMap of what clients and servers trust. */
    bundle: `marin3r-ca-bundle-${name}`,
  } as const;
}

/** Names of what is made of an EnvoyDeployment. */
export function envoyDeploymentNames(name: string) {
  return {
    /** Deployment or DaemonSet, HorizontalPodAutoscaler, PodDisruptionBudget. */
    workload: `marin3r-envoydeployment-${name}`,
    clientCertificate: `envoy-client-cert-${name}`,
  } as const;
}

/**
 * ConfigMap with what is to be trusted of a CA, by the name of its certificate: that of {@linkcode discoveryServiceNames} for the
 * CA of a discovery service.
 */
export function bundleOf(certificateName: string): string {
  const [, service] = /^marin3r-ca-cert-(.+)$/.exec(certificateName) ?? [];
  return service === undefined ? `${certificateName}-bundle` : discoveryServiceNames(service).bundle;
}

/** Labels of the Secrets with the keys of CAs, which lie in the namespace of whoever looks after certificates. */
export const KEY_LABELS = { ...MANAGED_LABELS, "app.kubernetes.io/component": "certificate-authority" } as const;

/** The longest name of a Secret, less what {@linkcode nextSecretOf} adds. */
const MAX_SECRET_NAME = 253 - 5;

/**
 * Secret with the key of a CA, by the certificate of the CA. Those of all namespaces lie in one: a namespace has no dot in it, so no two
 * certificates have the same, and one of a hash has fewer dots.
 */
export function keySecretOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  const full = `chancery-ca.${namespace}.${name}`;
  return full.length <= MAX_SECRET_NAME ? full : `chancery-ca.${shortHash(`${namespace}/${name}`, 32)}`;
}

/** Secret with the CA that is to follow the present one. */
export function nextSecretOf(secretName: string): string {
  return `${secretName}-next`;
}
