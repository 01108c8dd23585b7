import type { ProbeSettings } from "../api/operator/mod.ts";
import { adminPlaces } from "./admin.ts";
import { type EnvoyPodOptions, PATHS } from "./options.ts";
import { containerSecurity } from "./security.ts";

/** What Envoy asks for where nobody says; limits would end it when traffic grows, so there are none. */
const RESOURCES = { requests: { cpu: "50m", memory: "64Mi" } };

/**
 * How often Envoy may not have begun to serve yet: it waits for its control plane as long as it takes, and nobody ends it for that
 * (A5).
 */
const STARTUP: ProbeSettings = {
  ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 1, successThreshold: 1, failureThreshold: 1_000_000 },
};

/** The container that Envoy runs in. With `first`, what starts after it waits until it is ready. */
export function envoyContainer(
  options: EnvoyPodOptions,
  { first = false }: { readonly first?: boolean } = {},
): Record<string, unknown> {
  const { admin, shutdown, volumes, liveness, readiness } = options;
  const { live, ready } = adminPlaces(options);
  const probe = (path: string, numbers: ProbeSettings) => ({
    httpGet: { path, port: admin.port, scheme: "HTTP" },
    ...numbers,
  });
  const declared = options.ports.map(({ name, port, protocol, hostPort }) => ({
    ...{ name, containerPort: port },
    ...(protocol !== undefined && { protocol }),
    ...(hostPort !== undefined && { hostPort }),
  }));
  const named = declared.some(({ name }) => name === "admin");
  return {
    name: options.containerName,
    image: options.image,
    imagePullPolicy: "IfNotPresent",
    command: ["envoy"],
    args: [
      ...["-c", PATHS.config, "--service-node", options.nodeId, "--service-cluster", options.clusterId],
      ...(shutdown ? ["--drain-time-s", String(shutdown.drainSeconds), "--drain-strategy", shutdown.strategy] : []),
      ...options.extraArgs,
    ],
    ports: [...declared, ...(named ? [] : [{ name: "admin", containerPort: admin.port, protocol: "TCP" }])],
    resources: options.resources ?? RESOURCES,
    volumeMounts: [
      { name: volumes.tls, mountPath: PATHS.clientCertificate, readOnly: true },
      { name: volumes.bootstrap, mountPath: PATHS.bootstrap, readOnly: true },
    ],
    // Whether it answers at all: one that drains or still loads its configuration is not to be killed (A5).
    startupProbe: probe(first ? ready : live, STARTUP),
    livenessProbe: probe(live, liveness),
    readinessProbe: probe(ready, readiness),
    ...(shutdown &&
      { lifecycle: { preStop: { httpGet: { path: "/shutdown", port: shutdown.port, scheme: "HTTP" } } } }),
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    securityContext: containerSecurity(options),
  };
}
