import type { CoreValue, ProbeSettings, ReadyWhen } from "../api/operator/mod.ts";

/** How an Envoy drains when its pod ends. */
export interface ShutdownOptions {
  readonly image: string;
  readonly port: number;
  /** Seconds that connections have to end by themselves. */
  readonly drainSeconds: number;
  readonly strategy: "gradual" | "immediate";
  readonly resources?: CoreValue | undefined;
  /** What the hook shows, so that nobody else begins a drain (S5); anybody may without one. */
  readonly token?: string | undefined;
}

/** What the containers of an Envoy are made from, whether it is a sidecar or runs by itself. */
export interface EnvoyPodOptions {
  readonly containerName: string;
  readonly image: string;
  readonly nodeId: string;
  readonly clusterId: string;
  readonly ports: readonly {
    readonly name: string;
    readonly port: number;
    readonly protocol?: string;
    /** Port of the node that leads there. */
    readonly hostPort?: number;
  }[];
  readonly extraArgs: readonly string[];
  readonly admin: {
    /** Where it listens, in brackets if it is IPv6; `undefined`: within the pod only, and the port shows the status (S5). */
    readonly address?: string | undefined;
    readonly port: number;
    readonly accessLogPath: string;
  };
  /** Whether Envoy is ready with its first configuration or without one; `configured` when absent. */
  readonly readyWhen?: ReadyWhen | undefined;
  readonly xds: { readonly host: string; readonly port: number };
  readonly volumes: { readonly tls: string; readonly bootstrap: string };
  /** Secret with the client certificate. */
  readonly clientSecret: string;
  /** ConfigMap with what to verify the server by (S1); without one it is not verified. */
  readonly bundle: string | undefined;
  readonly liveness: ProbeSettings;
  readonly readiness: ProbeSettings;
  readonly resources?: CoreValue | undefined;
  readonly init: { readonly image: string; readonly resources?: CoreValue | undefined };
  readonly shutdown: ShutdownOptions | undefined;
  /** Of every container; goes before our own, field by field. */
  readonly securityContext?: CoreValue | undefined;
  /** Whether the namespace admits nothing but the strictest pods. */
  readonly restricted: boolean;
}

/** Where the containers find things; users' own manifests name these paths, too. */
export const PATHS = {
  clientCertificate: "/etc/envoy/tls/client",
  bootstrap: "/etc/envoy/bootstrap",
  config: "/etc/envoy/bootstrap/config.json",
  bundle: "/etc/envoy/tls/client/ca.crt",
} as const;
