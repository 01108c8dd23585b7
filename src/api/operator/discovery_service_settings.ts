import type { Finding } from "../../base/mod.ts";
import type { DiscoveryService } from "./discovery_service.ts";
import { parseGoDuration } from "./go_duration.ts";
import { discoveryServiceNames } from "./names.ts";

/** A DiscoveryService as it is meant: every default filled in, here and nowhere else. */
export interface DiscoveryServiceSettings {
  readonly replicas: number;
  readonly ports: { readonly xds: number; readonly metrics: number; readonly probe: number };
  readonly service: { readonly name: string; readonly type: "ClusterIP" | "Headless" | "LoadBalancer" | "NodePort" };
  /** What Envoys dial. */
  readonly host: string;
  /** All names that the server certificate is for: {@linkcode host}, the Service's other names, and what the user adds. */
  readonly serverHosts: readonly string[];
  readonly ca: { readonly secretName: string; readonly validFor: number };
  /** `validFor` in seconds, as above. */
  readonly server: { readonly secretName: string; readonly validFor: number };
  readonly keyAlgorithm: "ECDSA-P256" | "RSA-2048" | "RSA-3072" | "RSA-4096";
  readonly trustDelayMs: number;
  readonly clientAuthorization: "Off" | "Namespace" | "NodeID";
  /** What becomes of clients that have no right to their node id. */
  readonly clientAuthorizationAction: "Refuse" | "Warn";
  /** What of the spec cannot be meant; nothing is made while there is an error. */
  readonly findings: readonly Finding[];
}

/** Fills in what a DiscoveryService leaves open. */
export function discoveryServiceSettings({ metadata, spec = {} }: DiscoveryService): DiscoveryServiceSettings {
  const names = discoveryServiceNames(metadata.name);
  const namespace = metadata.namespace || "default";
  const findings: Finding[] = [];
  // Both spellings are accepted (C2); where both are set, which no API server of ours admits, the correct one counts.
  const spelling = spec.pkiConfig ? "pkiConfig" : "pkiConfg";
  const pki = spec[spelling] ?? {};
  const { rootCertificateAuthority: ca = {}, serverCertificate: server = {} } = pki;

  function milliseconds(text: string | undefined, unset: string, path: readonly string[]): number {
    const ms = parseGoDuration(text || unset);
    if (ms !== undefined && ms >= 1000) return ms;
    findings.push({
      severity: "error",
      path: ["spec", spelling, ...path],
      message: `must be a duration of at least 1s, not ${JSON.stringify(text)}`,
    });
    return parseGoDuration(unset)!;
  }
  const seconds = (...args: Parameters<typeof milliseconds>) => Math.floor(milliseconds(...args) / 1000);

  const service = spec.serviceConfig?.name || names.workload;
  const host = `${service}.${namespace}.svc`;
  return {
    replicas: spec.replicas ?? 2,
    ports: { xds: spec.xdsServerPort ?? 18000, metrics: spec.metricsPort ?? 8383, probe: spec.probePort ?? 8384 },
    service: { name: service, type: spec.serviceConfig?.type ?? "ClusterIP" },
    host,
    serverHosts: [
      ...[service, `${service}.${namespace}`, host, `${host}.cluster.local`, "localhost"],
      ...server.hosts ?? [],
    ],
    ca: {
      secretName: ca.secretName || names.caCertificate,
      validFor: seconds(ca.duration, "26280h", ["rootCertificateAuthority", "duration"]),
    },
    server: {
      secretName: server.secretName || names.serverCertificate,
      validFor: seconds(server.duration, "2160h", ["serverCertificate", "duration"]),
    },
    keyAlgorithm: pki.keyAlgorithm ?? "ECDSA-P256",
    trustDelayMs: milliseconds(pki.trustDelay, "5m", ["trustDelay"]),
    clientAuthorization: spec.clientAuthorization ?? "Off",
    clientAuthorizationAction: spec.clientAuthorizationAction ?? "Refuse",
    findings,
  };
}
