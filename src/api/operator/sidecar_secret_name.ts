import type { DiscoveryService } from "./discovery_service.ts";
import { discoveryServiceSettings } from "./discovery_service_settings.ts";
import { nodeCertificateName, SIDECAR_CERTIFICATE } from "./names.ts";

/**
 * The Secret with the client certificate that a sidecar of this node id mounts unless its pod names another one. Where node ids are
 * what is asked for there is one as soon as an EnvoyConfig has the node id; a pod that comes earlier waits for it.
 */
export function sidecarSecretName(service: DiscoveryService, nodeId: string): string {
  const { clientAuthorization } = discoveryServiceSettings(service);
  return clientAuthorization === "NodeID" ? nodeCertificateName(nodeId) : SIDECAR_CERTIFICATE;
}
