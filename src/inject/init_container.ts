import { adminPlaces } from "./admin.ts";
import { type EnvoyPodOptions, PATHS } from "./options.ts";
import { containerSecurity } from "./security.ts";

const RESOURCES = { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } };

/** The container that writes Envoy's bootstrap before Envoy starts. */
export function initContainer(options: EnvoyPodOptions): Record<string, unknown> {
  const { admin, xds, init, bundle, readyWhen = "configured" } = options;
  const { bind, status } = adminPlaces(options);
  const field = (name: string, fieldPath: string) => ({
    name,
    valueFrom: { fieldRef: { apiVersion: "v1", fieldPath } },
  });
  return {
    name: "envoy-init-mgr",
    image: init.image,
    imagePullPolicy: "IfNotPresent",
    args: [
      "init-manager",
      ...["--admin-access-log-path", admin.accessLogPath],
      ...["--admin-bind-address", bind],
      ...["--api-version", "v3"],
      ...["--client-certificate-path", PATHS.clientCertificate],
      ...["--config-file", PATHS.config],
      ...["--resources-path", PATHS.bootstrap],
      ...["--rtds-resource-name", "runtime"],
      ...["--xdss-host", xds.host],
      ...["--xdss-port", String(xds.port)],
      ...["--envoy-image", options.image],
      ...(status === undefined ? [] : ["--status-bind-address", status]),
      ...["--readiness", readyWhen],
      // Without it an Envoy takes its configuration from whoever answers (S1).
      ...(bundle === undefined ? [] : ["--ca-certificate-file", PATHS.bundle]),
    ],
    env: [
      field("POD_NAME", "metadata.name"),
      field("POD_NAMESPACE", "metadata.namespace"),
      field("POD_UID", "metadata.uid"),
      field("HOST_NAME", "spec.nodeName"),
      // Empty where the cluster does not give its pods these labels of their nodes.
      field("POD_REGION", "metadata.labels['topology.kubernetes.io/region']"),
      field("POD_ZONE", "metadata.labels['topology.kubernetes.io/zone']"),
    ],
    resources: init.resources ?? RESOURCES,
    volumeMounts: [
      // It looks whether the bundle is there before it lets Envoy start.
      ...(bundle === undefined
        ? []
        : [{ name: options.volumes.tls, mountPath: PATHS.clientCertificate, readOnly: true }]),
      { name: options.volumes.bootstrap, mountPath: PATHS.bootstrap },
    ],
    securityContext: containerSecurity(options),
  };
}
