import { expect } from "expect";
import {
  certificateSettings,
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  discoveryServiceSettings,
  type EnvoyDeployment,
  envoyDeploymentSettings,
  OPERATOR_API_VERSION as apiVersion,
} from "./mod.ts";

function service(spec?: DiscoveryService["spec"]): DiscoveryService {
  return { apiVersion, kind: "DiscoveryService", metadata: { name: "ds", namespace: "ns" }, ...(spec && { spec }) };
}

function certificate(spec: Partial<DiscoveryServiceCertificate["spec"]>): DiscoveryServiceCertificate {
  const full = { commonName: "cn", validFor: 10, signer: {}, secretRef: { name: "s" }, ...spec };
  return { apiVersion, kind: "DiscoveryServiceCertificate", metadata: { name: "c" }, spec: full };
}

function envoys(spec: Partial<EnvoyDeployment["spec"]> = {}): EnvoyDeployment {
  const full = { envoyConfigRef: "c", discoveryServiceRef: "ds", ...spec };
  return { apiVersion, kind: "EnvoyDeployment", metadata: { name: "ed" }, spec: full };
}

Deno.test("discoveryServiceSettings() has a default for all that three lines leave open", () => {
  expect(discoveryServiceSettings(service())).toEqual({
    replicas: 2,
    ports: { xds: 18000, metrics: 8383, probe: 8384 },
    service: { name: "marin3r-ds", type: "ClusterIP" },
    host: "marin3r-ds.ns.svc",
    serverHosts: ["marin3r-ds", "marin3r-ds.ns", "marin3r-ds.ns.svc", "marin3r-ds.ns.svc.cluster.local", "localhost"],
    ca: { secretName: "marin3r-ca-cert-ds", validFor: 94_608_000 },
    server: { secretName: "marin3r-server-cert-ds", validFor: 7_776_000 },
    keyAlgorithm: "ECDSA-P256",
    trustDelayMs: 300_000,
    clientAuthorization: "Off",
    clientAuthorizationAction: "Refuse",
    findings: [],
  });
});

Deno.test("C1: discoveryServiceSettings() has the address of the Service that is really made, named or not", () => {
  const named = discoveryServiceSettings(service({ serviceConfig: { name: "custom", type: "LoadBalancer" } }));
  expect(named).toMatchObject({ service: { name: "custom", type: "LoadBalancer" }, host: "custom.ns.svc" });
  expect(named.serverHosts).toContain("custom.ns.svc.cluster.local");
  expect(discoveryServiceSettings(service({ serviceConfig: { type: "Headless" } })).host).toBe("marin3r-ds.ns.svc");
});

Deno.test("C2: discoveryServiceSettings() reads both spellings of pkiConfig", () => {
  const pki = { serverCertificate: { secretName: "mine", duration: "1h" } };
  for (const spec of [{ pkiConfg: pki }, { pkiConfig: pki }]) {
    expect(discoveryServiceSettings(service(spec)).server).toEqual({ secretName: "mine", validFor: 3600 });
  }
});

Deno.test("C5: durations that make no certificate are told with their path", () => {
  const { findings } = discoveryServiceSettings(service({ pkiConfg: { serverCertificate: { duration: "0s" } } }));
  expect(findings).toEqual([expect.objectContaining({
    severity: "error",
    path: ["spec", "pkiConfg", "serverCertificate", "duration"],
    message: 'must be a duration of at least 1s, not "0s"',
  })]);
  expect(envoyDeploymentSettings(envoys({ duration: "0.5s" })).findings).toHaveLength(1);
});

Deno.test("certificateSettings() has the common name for want of hosts, and renews unless told otherwise", () => {
  expect(certificateSettings(certificate({ hosts: [] }))).toMatchObject({ hosts: ["cn"], renewal: true });
  expect(certificateSettings(certificate({ certificateRenewalConfig: { enabled: false } })).renewal).toBe(false);
  const both = { certificateRenewal: { enabled: true }, certificateRenewalConfig: { enabled: false } };
  expect(certificateSettings(certificate(both)).renewal).toBe(true);
  const signer = { selfSigned: {}, caSigned: { caSecretRef: { name: "ca", namespace: "other" } } };
  expect(certificateSettings(certificate({ signer })).issuer).toEqual({ name: "ca", namespace: "other" });
  expect(certificateSettings(certificate({ signer: {} })).issuer).toBeUndefined();
});

Deno.test("envoyDeploymentSettings() has the numbers of the specification", () => {
  expect(envoyDeploymentSettings(envoys())).toEqual({
    workload: "Deployment",
    image: "envoyproxy/envoy:v1.40.0",
    replicas: 1,
    ports: [],
    admin: { port: 9901, accessLogPath: "/dev/null" },
    clientCertificateValidFor: 172_800,
    liveness: {
      ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 10 },
    },
    readiness: {
      ...{ initialDelaySeconds: 0, timeoutSeconds: 1, periodSeconds: 5, successThreshold: 1, failureThreshold: 1 },
    },
    readyWhen: "configured",
    shutdown: undefined,
    serviceAccountName: "default",
    findings: [],
  });
});

Deno.test("C3: envoyDeploymentSettings() knows every field of the shutdown manager, which {} switches on", () => {
  const of = (shutdownManager: object) => envoyDeploymentSettings(envoys({ shutdownManager })).shutdown;
  expect(of({})).toEqual({ port: 8090, drainSeconds: 300, strategy: "gradual" });
  expect(of({ serverPort: 1, drainTime: 0, drainStrategy: "immediate" }))
    .toEqual({ port: 1, drainSeconds: 0, strategy: "immediate" });
});

Deno.test("envoyDeploymentSettings() leaves the number to an autoscaler, one way or the other", () => {
  const of = (replicas: object) => envoyDeploymentSettings(envoys({ replicas })).replicas;
  expect([of({}), of({ static: 0 }), of({ static: 3 }), of({ dynamic: { maxReplicas: 4 } })]).toEqual([
    1,
    0,
    3,
    undefined,
  ]);
});
