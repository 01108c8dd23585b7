/**
 * The kinds that the operator makes things from. Apart from `api/mod.ts` because they embed large types of Kubernetes that
 * other roles need not load.
 * @module
 */
export { namespaceUri, nodeIdUri } from "./client_uris.ts";
export { sidecarSecretName } from "./sidecar_secret_name.ts";
export type { CoreValue } from "./core.ts";
export {
  DISCOVERY_SERVICE,
  type DiscoveryService,
  DiscoveryServiceSpec,
  DiscoveryServiceStatus,
} from "./discovery_service.ts";
export {
  CertificateRotation,
  DISCOVERY_SERVICE_CERTIFICATE,
  type DiscoveryServiceCertificate,
  DiscoveryServiceCertificateSpec,
  DiscoveryServiceCertificateStatus,
} from "./discovery_service_certificate.ts";
export {
  ENVOY_DEPLOYMENT,
  type EnvoyDeployment,
  EnvoyDeploymentSpec,
  EnvoyDeploymentStatus,
} from "./envoy_deployment.ts";
export { parseGoDuration } from "./go_duration.ts";
export { type CertificateSettings, certificateSettings } from "./certificate_settings.ts";
export { type DiscoveryServiceSettings, discoveryServiceSettings } from "./discovery_service_settings.ts";
export {
  ENVOY_IMAGE,
  ENVOY_PROBES,
  type EnvoyDeploymentSettings,
  envoyDeploymentSettings,
  type ProbeSettings,
  type ReadyWhen,
} from "./envoy_deployment_settings.ts";
export {
  bundleOf,
  DISCOVERY_SERVICE_ROLE,
  discoveryServiceNames,
  envoyDeploymentNames,
  KEY_LABELS,
  keySecretOf,
  MANAGED_LABELS,
  nextSecretOf,
  nodeCertificateName,
  OPERATOR_ANNOTATIONS,
  OPERATOR_API_VERSION,
  OPERATOR_GROUP,
  ownedLabels,
  SIDECAR_CERTIFICATE,
} from "./names.ts";
