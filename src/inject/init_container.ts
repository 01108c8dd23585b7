import { type EnvoyPodOptions, PATHS } from "./options.ts";
import { containerSecurity } from "./security.ts";

const RESOURCES = { requests: { cpu: "10m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } };

/** The container that writes Envoy's bootstrap before Envoy starts. */
export function initContainer(options: EnvoyPodOptions): Record<string, unknown> {
  const { admin, xds, init, bundle } = options;
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
      ...["--admin-bind-address", `${admin.address}:${admin.port}`],
      ...["--api-version", "v3"],
      ...["--client-certificate-path", PATHS.clientCertificate],
      ...["--config-file", PATHS.config],
      ...["--resources-path", PATHS.bootstrap],
      ...["--rtds-resource-name", "runtime"],
      ...["--xdss-host", xds.host],
      ...["--xdss-port", String(xds.port)],
      ...["--envoy-image", options.image],
      // Without it an Envoy takes its configuration from whoever answers (S1).
      ...(bundle === undefined ? [] : ["--ca-certificate-file", PATHS.bundle]),
    ],
    env: [
      field("POD_NAME", "metadata.name"),
      field("POD_NAMESPACE", "metadata.namespace"),
      field("HOST_NAME", "spec.nodeName"),
    ],
    resources: init.resources ?? RESOURCES,
    volumeMounts: [{ name: options.volumes.bootstrap, mountPath: PATHS.bootstrap }],
    securityContext: containerSecurity(options),
  };
}
