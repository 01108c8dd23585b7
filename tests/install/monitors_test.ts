import { expect } from "expect";
import type { Condition } from "../../src/api/mod.ts";
import { type DiscoveryService, ENVOY_IMAGE, OPERATOR_API_VERSION } from "../../src/api/operator/mod.ts";
import { discoveryIn, injectPod } from "../../src/inject/mod.ts";
import { allObjects, installedObjects, installOptions } from "../../src/install/mod.ts";
import { alternativeNames } from "../../src/pki/mod.ts";
import { planDiscoveryService } from "../../src/reconcile/discovery_service/plan.ts";
import { planEnvoyDeployment } from "../../src/reconcile/envoy_deployment/plan.ts";

/** As much of an object as finding it needs. */
interface Found {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: unknown;
}

interface Port {
  readonly name: string;
  readonly targetPort?: string;
}

interface Monitor extends Found {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly endpoints?: readonly { readonly port: string }[];
    readonly podMetricsEndpoints?: readonly { readonly port: string }[];
  };
}

interface Pod {
  readonly metadata: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec: {
    readonly [list in "containers" | "initContainers"]?: readonly { readonly ports?: readonly Port[] }[];
  };
}

const PLACE = { namespace: "ns", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" };
const VERIFIABLE: Condition = {
  ...{ type: "ServerVerifiable", reason: "NamesAndBundleInPlace", message: "" },
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
const SERVICE: DiscoveryService = {
  apiVersion: OPERATOR_API_VERSION,
  kind: "DiscoveryService",
  metadata: { ...PLACE, name: "ds", uid: "ds-uid" },
  status: { conditions: [VERIFIABLE] },
};
/** Without one there are no pods yet. */
const CERTIFICATE = {
  apiVersion: OPERATOR_API_VERSION,
  kind: "DiscoveryServiceCertificate",
  metadata: { ...PLACE, name: "marin3r-server-cert-ds" },
  status: { certificateHash: "6956b4fc7f" },
};
const NOW = { now: Date.parse("2026-01-02T00:00:00Z"), image: "example.com/chancery:test" };

/** All that there is in a cluster with a DiscoveryService, an EnvoyDeployment and a pod that asks for a sidecar. */
function everything(): { services: readonly Found[]; pods: readonly Pod[]; monitors: readonly Monitor[] } {
  const installed = allObjects(installedObjects(installOptions({ "monitoring.enabled": true })));
  const discovery = planDiscoveryService({
    ...{ ...NOW, object: SERVICE, siblings: [], owned: [CERTIFICATE], bundle: true, nodeIds: [], clients: [] },
    serverNames: alternativeNames(["marin3r-ds.ns.svc"]),
  });
  const envoys = planEnvoyDeployment({
    ...{ ...NOW, discoveryService: SERVICE, nodeId: "edge", envoyImage: ENVOY_IMAGE, owned: [] },
    object: {
      apiVersion: OPERATOR_API_VERSION,
      kind: "EnvoyDeployment",
      metadata: { ...PLACE, name: "edge", uid: "ed-uid" },
      spec: { envoyConfigRef: "config", discoveryServiceRef: "ds" },
    },
    namespace: { restricted: false, userIsSet: false },
  });
  const injected = injectPod({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: "shop",
      labels: { "marin3r.3scale.net/status": "enabled" },
      annotations: { "marin3r.3scale.net/node-id": "edge" },
    },
    spec: { containers: [{ name: "app", image: "example.com/app" }] },
  }, { image: NOW.image, discovery: (name) => discoveryIn([SERVICE], name) });
  if (injected.kind !== "injected") throw new Error(`The pod is ${injected.kind}`);
  const objects = [...installed, ...discovery.apply, ...envoys.apply] as readonly Found[]; // each has a kind and a name
  const workloads = objects.filter(({ kind }) => kind === "Deployment");
  return {
    services: objects.filter(({ kind }) => kind === "Service"),
    pods: [...workloads.map(({ spec }) => (spec as { template: Pod }).template), injected.pod as unknown as Pod],
    monitors: objects.filter(({ kind }) => /^(Service|Pod)Monitor$/.test(kind)) as readonly Monitor[],
  };
}

function fits(labels: Readonly<Record<string, string>> = {}, wanted: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => labels[name] === value);
}

/** The ports of this name of all pods that fit. */
function portsOf(labels: Readonly<Record<string, string>>, port: string): readonly string[] {
  return pods.filter(({ metadata }) => fits(metadata.labels, labels)).flatMap(({ spec }) =>
    [...spec.containers ?? [], ...spec.initContainers ?? []].flatMap(({ ports = [] }) => ports.map(({ name }) => name))
  ).filter((name) => name === port);
}

const { services, pods, monitors } = everything();

Deno.test("O7: the metrics of every role and of every Envoy are looked for", () => {
  expect(monitors.map(({ kind, metadata: { name } }) => `${kind} ${name}`).sort()).toEqual([
    "PodMonitor chancery-envoy-deployments",
    "PodMonitor chancery-sidecars",
    "ServiceMonitor chancery-discovery-services",
    "ServiceMonitor chancery-operator",
    "ServiceMonitor chancery-webhook",
  ]);
});

for (const { kind, metadata: { name }, spec } of monitors) {
  Deno.test(`O7: ${kind} ${name} finds a port that pods have, and finds it once`, () => {
    const { selector: { matchLabels }, endpoints = [], podMetricsEndpoints = [] } = spec;
    for (const { port } of podMetricsEndpoints) expect(portsOf(matchLabels, port)).toEqual([port]);
    for (const { port } of endpoints) {
      const offers = services.filter(({ metadata }) => fits(metadata.labels, matchLabels)).flatMap(({ spec }) => {
        const { selector, ports } = spec as { selector: Record<string, string>; ports: readonly Port[] }; // a Service
        return ports.filter((one) => one.name === port).map(({ targetPort = "" }) => portsOf(selector, targetPort));
      });
      expect(offers).toEqual([[port]]);
    }
    expect([...endpoints, ...podMetricsEndpoints]).toHaveLength(1);
  });
}
