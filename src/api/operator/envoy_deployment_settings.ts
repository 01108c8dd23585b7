import type { Finding } from "../../base/mod.ts";
import type { EnvoyDeployment } from "./envoy_deployment.ts";
import { parseGoDuration } from "./go_duration.ts";

/** The image of Envoy where nobody names another. */
export const ENVOY_IMAGE = "envoyproxy/envoy:v1.40.0";

/** When an Envoy is ready: once it has accepted a configuration (A4), or seconds after its start, with one or without. */
export type ReadyWhen = "configured" | "started";

/** Numbers of a probe. */
export interface ProbeSettings {
  readonly initialDelaySeconds: number;
  readonly timeoutSeconds: number;
  readonly periodSeconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

/** An EnvoyDeployment as it is meant: every default filled in, here and nowhere else. */
export interface EnvoyDeploymentSettings {
  readonly workload: "Deployment" | "DaemonSet";
  readonly image: string;
  /** `undefined`: a HorizontalPodAutoscaler decides. */
  readonly replicas: number | undefined;
  readonly ports: readonly { readonly name: string; readonly port: number; readonly protocol: string }[];
  readonly admin: { readonly port: number; readonly accessLogPath: string };
  /** In seconds. */
  readonly clientCertificateValidFor: number;
  readonly liveness: ProbeSettings;
  readonly readiness: ProbeSettings;
  readonly readyWhen: ReadyWhen;
  readonly shutdown:
    | { readonly port: number; readonly drainSeconds: number; readonly strategy: "gradual" | "immediate" }
    | undefined;
  readonly serviceAccountName: string;
  /** What of the spec cannot be meant; nothing is made while there is an error. */
  readonly findings: readonly Finding[];
}

/** The probes of an Envoy where nobody says otherwise. They begin when the startup probe has succeeded, and need no delay of their own. */
export const ENVOY_PROBES: { readonly liveness: ProbeSettings; readonly readiness: ProbeSettings } = {
  liveness: {
    ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 10 },
  },
  readiness: {
    ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 5, successThreshold: 1, failureThreshold: 1 },
  },
};

/** Fills in what an EnvoyDeployment leaves open; `envoyImage` is the image of Envoy for those who name none. */
export function envoyDeploymentSettings(
  { spec }: EnvoyDeployment,
  { envoyImage = ENVOY_IMAGE }: { envoyImage?: string | undefined } = {},
): EnvoyDeploymentSettings {
  const findings: Finding[] = [];
  const validity = parseGoDuration(spec.duration || "48h");
  if (validity === undefined || validity < 1000) {
    findings.push({
      severity: "error",
      path: ["spec", "duration"],
      message: `must be a duration of at least 1s, not ${JSON.stringify(spec.duration)}`,
    });
  }
  const { shutdownManager: shutdown } = spec;
  return {
    workload: spec.workload ?? "Deployment",
    image: spec.image || envoyImage,
    // Where both are set, which no API server of ours admits, static goes before, as its description always said.
    replicas: spec.replicas?.static ?? (spec.replicas?.dynamic ? undefined : 1),
    ports: (spec.ports ?? []).map(({ name, port, protocol }) => ({ name, port, protocol: protocol || "TCP" })),
    admin: { port: spec.adminPort ?? 9901, accessLogPath: spec.adminAccessLogPath || "/dev/null" },
    clientCertificateValidFor: Math.floor((validity ?? 0) / 1000),
    liveness: spec.livenessProbe ?? ENVOY_PROBES.liveness,
    readiness: spec.readinessProbe ?? ENVOY_PROBES.readiness,
    readyWhen: spec.readiness ?? "configured",
    shutdown: shutdown && {
      port: shutdown.serverPort ?? 8090,
      drainSeconds: shutdown.drainTime ?? 300,
      strategy: shutdown.drainStrategy ?? "gradual",
    },
    serviceAccountName: spec.serviceAccountName || "default",
    findings,
  };
}
