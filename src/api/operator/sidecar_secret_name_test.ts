import { expect } from "expect";
import { OPERATOR_API_VERSION } from "./names.ts";
import type { DiscoveryServiceSpec } from "./discovery_service.ts";
import { sidecarSecretName } from "./sidecar_secret_name.ts";

function secretFor(nodeId: string, spec: DiscoveryServiceSpec): string {
  const service = { apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { name: "ds" }, spec };
  return sidecarSecretName(service, nodeId);
}

Deno.test("sidecarSecretName() is the one of all sidecars unless each node id needs its own", () => {
  expect(secretFor("edge", {})).toBe("envoy-sidecar-client-cert");
  expect(secretFor("edge", { clientAuthorization: "Namespace" })).toBe("envoy-sidecar-client-cert");
  expect(secretFor("edge", { clientAuthorization: "NodeID" })).toBe("envoy-sidecar-client-cert-uhfrad2x5fy4vtzg");
});

Deno.test("sidecarSecretName() is a name whatever the node id is", () => {
  const names = ["a/b c", "Ü", "x".repeat(1000)].map((nodeId) => secretFor(nodeId, { clientAuthorization: "NodeID" }));
  expect(new Set(names).size).toBe(3);
  for (const name of names) expect(name).toMatch(/^envoy-sidecar-client-cert-[a-z2-7]{16}$/);
});
