import { expect } from "expect";
import type { Condition } from "../../src/api/mod.ts";
import {
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  type EnvoyDeployment,
  OPERATOR_API_VERSION,
} from "../../src/api/operator/mod.ts";
import { alternativeNames } from "../../src/pki/mod.ts";
import { planDiscoveryService } from "../../src/reconcile/discovery_service/plan.ts";
import type { StatedObject, WatchedObject } from "../../src/reconcile/engine/object_source.ts";
import { planEnvoyDeployment } from "../../src/reconcile/envoy_deployment/plan.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";

const COLLECTIONS: Readonly<Record<string, string>> = {
  DiscoveryServiceCertificate: "discoveryservicecertificates",
  ServiceAccount: "serviceaccounts",
  RoleBinding: "rolebindings",
  Service: "services",
  PodDisruptionBudget: "poddisruptionbudgets",
  HorizontalPodAutoscaler: "horizontalpodautoscalers",
  Deployment: "deployments",
  DaemonSet: "daemonsets",
};

const VERIFIABLE: Condition = {
  ...{ type: "ServerVerifiable", reason: "NamesAndBundleInPlace", message: "" },
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};

clusterTest(
  "S6: a namespace that admits only the strictest pods takes those of a DiscoveryService as they are planned",
  async () => {
    const { cluster, namespace } = await strictPlace();
    const object = await create<DiscoveryService>(cluster, namespace, "DiscoveryService", "discoveryservices");
    const certificate: DiscoveryServiceCertificate = {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryServiceCertificate",
      metadata: ownedBy(object, "marin3r-server-cert-made"),
      spec: { commonName: "x", validFor: 1, signer: {}, secretRef: {} },
      status: { certificateHash: "6956b4fc7f" },
    };
    const { apply } = planDiscoveryService({
      ...{ now: Date.now(), object, siblings: [], image: "example.com/chancery:test", bundle: true },
      owned: [{ ...certificate }],
      serverNames: alternativeNames([`marin3r-made.${namespace}.svc`]),
    });
    await applyTwice(cluster, apply);
    await expectPods(cluster, namespace, 2);
  },
);

clusterTest(
  "S6: a namespace that admits only the strictest pods takes those of an EnvoyDeployment as they are planned",
  async () => {
    const { cluster, namespace } = await strictPlace();
    const spec = {
      ...{ envoyConfigRef: "config", discoveryServiceRef: "ds", shutdownManager: {}, service: {} },
      ports: [{ name: "https", port: 443 }],
      replicas: { dynamic: { minReplicas: 1, maxReplicas: 3 } },
      podDisruptionBudget: { maxUnavailable: "50%" },
    };
    const object = await create<EnvoyDeployment>(cluster, namespace, "EnvoyDeployment", "envoydeployments", spec);
    const { apply } = planEnvoyDeployment({
      ...{ now: Date.now(), object, nodeId: "edge", image: "example.com/chancery:test", owned: [] },
      discoveryService: {
        apiVersion: OPERATOR_API_VERSION,
        kind: "DiscoveryService",
        metadata: { name: "ds", namespace },
        status: { conditions: [VERIFIABLE] },
      },
      namespace: { restricted: true, userIsSet: false },
    });
    expect(apply.map(({ kind }) => kind).sort()).toEqual([
      ...["Deployment", "DiscoveryServiceCertificate", "HorizontalPodAutoscaler", "PodDisruptionBudget", "Service"],
    ]);
    await applyTwice(cluster, apply);
    await expectPods(cluster, namespace, 1);
  },
);

clusterTest("an EnvoyDeployment on each node is a DaemonSet that the API server takes", async () => {
  const { cluster, namespace } = await strictPlace();
  const spec = { envoyConfigRef: "config", discoveryServiceRef: "ds", workload: "DaemonSet" };
  const object = await create<EnvoyDeployment>(cluster, namespace, "EnvoyDeployment", "envoydeployments", spec);
  const { apply } = planEnvoyDeployment({
    ...{ now: Date.now(), object, nodeId: "edge", image: "example.com/chancery:test", owned: [] },
    discoveryService: {
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryService",
      metadata: { name: "ds", namespace },
      status: { conditions: [VERIFIABLE] },
    },
    namespace: { restricted: true, userIsSet: false },
  });
  expect(apply.map(({ kind }) => kind)).toContain("DaemonSet");
  await applyTwice(cluster, apply);
});

async function strictPlace(): Promise<{ cluster: ControlPlane; namespace: string }> {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace();
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  await cluster.request("PATCH", `/api/v1/namespaces/${namespace}`, { metadata: { labels } }, MERGE);
  return { cluster, namespace };
}

const MERGE = "application/merge-patch+json";

async function create<T>(
  cluster: ControlPlane,
  namespace: string,
  kind: string,
  plural: string,
  spec?: object,
): Promise<T> {
  const object = { apiVersion: OPERATOR_API_VERSION, kind, metadata: { name: "made" }, ...(spec && { spec }) };
  return await cluster.request("POST", `/apis/${OPERATOR_API_VERSION}/namespaces/${namespace}/${plural}`, object) as T;
}

function ownedBy(owner: DiscoveryService, name: string): WatchedObject["metadata"] {
  const { apiVersion, kind, metadata } = owner;
  const reference = { apiVersion, kind, name: metadata.name, uid: metadata.uid!, controller: true };
  return { name, namespace: metadata.namespace!, ownerReferences: [reference] };
}

/** Applies everything as it is planned, and once more, which must change nothing. */
async function applyTwice(cluster: ControlPlane, objects: readonly StatedObject[]): Promise<void> {
  const query = "fieldManager=chancery&force=true&fieldValidation=Strict";
  const put = async (object: StatedObject) =>
    await cluster.request(
      "PATCH",
      `${pathOf(object)}?${query}`,
      object,
      "application/apply-patch+yaml",
    ) as WatchedObject;
  for (const object of objects) {
    const first = await put(object);
    const second = await put(object);
    const told = ({ metadata: { uid, generation } }: WatchedObject) => ({ kind: object.kind, uid, generation });
    expect(told(second)).toEqual(told(first));
  }
}

function pathOf({ apiVersion, kind, metadata: { namespace, name } }: StatedObject): string {
  const group = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return `${group}/namespaces/${namespace}/${COLLECTIONS[kind]}/${name}`;
}

/** Whoever refuses pods does it when the controllers make them; nobody runs them here. */
async function expectPods(cluster: ControlPlane, namespace: string, count: number): Promise<void> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const { items } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/pods`) as { items: unknown[] };
    if (items.length === count) return;
    if (Date.now() > deadline) {
      const { stdout } = await cluster.kubectl(["get", "events,replicasets,pods", "-n", namespace, "-o", "wide"]);
      throw new Error(`Cannot see ${count} pods, there are ${items.length}:\n${stdout}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
