import {
  type DiscoveryService,
  discoveryServiceNames,
  discoveryServiceSettings,
  sidecarSecretName,
} from "../api/operator/mod.ts";

/** Where an Envoy gets its configuration from. */
export interface Discovery {
  readonly host: string;
  readonly port: number;
  /** ConfigMap with what to verify the server by (S1); without one it is not verified. */
  readonly bundle: string | undefined;
  /** Secret with the certificate by which it knows the Envoys of a node id (S2). */
  clientSecret(nodeId: string): string;
  /** Secret of its CA, which is nobody's to show; unknown when absent. */
  readonly authoritySecret?: string;
}

/**
 * The discovery service of a pod: the one of that name, or the only one of the namespace (spec/operator section 10.3). A
 * text says why there
 * is none. `services` are those of the pod's namespace.
 */
export function discoveryIn(services: readonly DiscoveryService[], name: string | undefined): Discovery | string {
  const living = services.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const names = living.map(({ metadata }) => JSON.stringify(metadata.name)).sort().slice(0, 10).join(", ");
  if (name !== undefined) {
    const service = living.find(({ metadata }) => metadata.name === name);
    if (service) return discoveryOf(service);
    return `there is no DiscoveryService ${JSON.stringify(name)} in the namespace${
      names === "" ? "" : `, only ${names}`
    }`;
  }
  const [service, ...others] = living;
  if (!service) return "there is no DiscoveryService in the namespace, and one is needed";
  if (others.length > 0) return `expected just one DiscoveryService in the namespace, got ${living.length} (${names})`;
  return discoveryOf(service);
}

function discoveryOf(service: DiscoveryService): Discovery {
  const { host, ports, ca } = discoveryServiceSettings(service);
  const bundle = isVerified(service) ? discoveryServiceNames(service.metadata.name).bundle : undefined;
  return {
    ...{ host, port: ports.xds, bundle, authoritySecret: ca.secretName },
    clientSecret: (nodeId) => sidecarSecretName(service, nodeId),
  };
}

/**
 * Whether its Envoys are told to verify it (S1). One that is just being made will have what it takes, and until then the volume of
 * the bundle holds the pods. An Envoy that is told to verify what it cannot never recovers: that would be one with a certificate of a
 * user's own, without the name, or one that MARIN3R has made and nobody has looked at yet.
 */
function isVerified({ status }: DiscoveryService): boolean {
  const told = status?.conditions?.find(({ type }) => type === "ServerVerifiable");
  return told ? told.reason !== "NamesMissing" : status?.deploymentName === undefined;
}
