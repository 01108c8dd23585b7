import { expect } from "expect";
import { AuditedRights } from "../../cluster/install/audited_rights.ts";
import { InstallSite } from "../../cluster/install/install_site.ts";
import { ECHO_SERVER, nodeTest, programImage } from "../../cluster/node/mod.ts";
import { Example, NAMESPACE } from "./example.ts";
import { configurationValidation } from "./scenarios/configuration_validation.ts";
import { draining } from "./scenarios/draining.ts";
import { endpointDiscovery } from "./scenarios/endpoint_discovery.ts";
import { envoyDeployment } from "./scenarios/envoy_deployment.ts";
import { handWrittenPod } from "./scenarios/hand_written_pod.ts";
import { oauth2 } from "./scenarios/oauth2.ts";
import { pathRouting } from "./scenarios/path_routing.ts";
import { rateLimiting } from "./scenarios/rate_limiting.ts";
import { sidecar } from "./scenarios/sidecar.ts";
import { taken } from "./scenarios/taken.ts";
import { threeLines } from "./scenarios/three_lines.ts";
import { tlsOffloading } from "./scenarios/tls_offloading.ts";

/** The folders of `manifests/examples` that need pods, after the one with the control plane of all, and what must be seen of each. */
const EXAMPLES: Readonly<Record<string, (example: Example) => Promise<void>>> = {
  "tls-offloading": tlsOffloading,
  "path-routing": pathRouting,
  "draining": draining,
  "rate-limiting": rateLimiting,
  "sidecar": sidecar,
  "envoy-deployment": envoyDeployment,
  "hand-written-pod": handWrittenPod,
  "endpoint-discovery": endpointDiscovery,
  "oauth2": oauth2,
  "configuration-validation": configurationValidation,
  "every-type": taken, // and others that need no pod
};

/** Stands for the Prometheus Operator's kind, of which nothing is checked here. */
const POD_MONITORS = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "podmonitors.monitoring.coreos.com" },
  spec: {
    group: "monitoring.coreos.com",
    scope: "Namespaced",
    names: { kind: "PodMonitor", plural: "podmonitors", singular: "podmonitor" },
    versions: [{
      ...{ name: "v1", served: true, storage: true },
      schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
    }],
  },
};

/** Steps side by side, as Deno wants them: what they leave is seen at the end of the test. */
const SIDE_BY_SIDE = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

nodeTest("the examples do in a cluster what they say", async (t) => {
  // What the examples call an application; any that answers with the name of its pod would do.
  await using site = await InstallSite.open({ images: { "traefik/whoami": programImage(ECHO_SERVER) } });
  await site.cluster.apply([POD_MONITORS, { apiVersion: "v1", kind: "Namespace", metadata: { name: NAMESPACE } }]);
  const { code, err } = await site.chancery(["install", "--timeout", "90s"]);
  if (code !== 0) throw new Error(`${err}\n${await site.story()}`);

  const control = await Example.open(site, "three-lines");
  await t.step("three-lines", () => threeLines(control));
  const others = Object.entries(EXAMPLES).map(([name, look]) =>
    t.step({ name, ...SIDE_BY_SIDE, fn: async () => await look(await Example.open(site, name)) })
  );
  expect(await Promise.all(others)).toEqual(others.map(() => true));
  expect([...(await AuditedRights.read(site.cluster.auditLog)).denied]).toEqual([]); // nobody was refused a right
});
