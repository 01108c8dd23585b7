import { expect } from "expect";
import type { Condition } from "../../src/api/mod.ts";
import {
  type DiscoveryService,
  type DiscoveryServiceCertificate,
  ENVOY_IMAGE,
  type EnvoyDeployment,
  OPERATOR_API_VERSION,
} from "../../src/api/operator/mod.ts";
import { alternativeNames } from "../../src/pki/mod.ts";
import { planDiscoveryService } from "../../src/reconcile/discovery_service/plan.ts";
import type { StatedObject, WatchedObject } from "../../src/reconcile/engine/object_source.ts";
import { planEnvoyDeployment } from "../../src/reconcile/envoy_deployment/plan.ts";
import { eventually } from "../envoy/harness/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane } from "./control_plane/mod.ts";
import { openStore } from "./store_scene.ts";

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

/** What plans of EnvoyDeployments go by, whatever the object. */
const GIVEN = { nodeId: "edge", image: "example.com/chancery:test", envoyImage: ENVOY_IMAGE };

clusterTest(
  "S6: a namespace that admits only the strictest pods takes those of a DiscoveryService as they are planned",
  async () => {
    const { cluster, namespace } = await place();
    const object = await create<DiscoveryService>(cluster, namespace, "DiscoveryService", "discoveryservices");
    const { apply } = planDiscoveryService({
      ...{ now: Date.now(), object, siblings: [], image: "example.com/chancery:test", bundle: true },
      ...{ nodeIds: [], clients: [] },
      owned: [serverCertificateOf(object)],
      serverNames: alternativeNames([`marin3r-made.${namespace}.svc`]),
    });
    await applyTwice(cluster, apply);
    await expectPods(cluster, namespace, 2);
  },
);

clusterTest(
  "S6: a namespace that admits only the strictest pods takes those of an EnvoyDeployment as they are planned",
  async () => {
    const { cluster, namespace } = await place();
    const spec = {
      ...{ envoyConfigRef: "config", discoveryServiceRef: "ds", shutdownManager: {}, service: {} },
      ports: [{ name: "https", port: 443 }],
      replicas: { dynamic: { minReplicas: 1, maxReplicas: 3 } },
      podDisruptionBudget: { maxUnavailable: "50%" },
    };
    const object = await create<EnvoyDeployment>(cluster, namespace, "EnvoyDeployment", "envoydeployments", spec);
    const { apply } = planEnvoyDeployment({
      ...{ ...GIVEN, now: Date.now(), object, owned: [] },
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
  const { cluster, namespace } = await place();
  const spec = { envoyConfigRef: "config", discoveryServiceRef: "ds", workload: "DaemonSet" };
  const object = await create<EnvoyDeployment>(cluster, namespace, "EnvoyDeployment", "envoydeployments", spec);
  const { apply } = planEnvoyDeployment({
    ...{ ...GIVEN, now: Date.now(), object, owned: [] },
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

clusterTest("S3: taking over changes the volumes, ends the old pods first, and leaves what users added", async () => {
  const { cluster, namespace } = await place({ strict: false });
  await using open = await openStore(cluster.kubeconfig);
  const object = await create<DiscoveryService>(cluster, namespace, "DiscoveryService", "discoveryservices");
  const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  await cluster.request("POST", `${path}?fieldManager=manager`, olderDeployment(object));
  await cluster.request("PATCH", `${path}/marin3r-made?fieldManager=kubectl-annotate`, {
    metadata: { annotations: { "example.com/team": "edge" } },
  }, MERGE);
  const live = await open.store.get({ kind: "Deployment", namespace, name: "marin3r-made" });
  const { apply } = planDiscoveryService({
    ...{ now: Date.now(), object, siblings: [], image: "example.com/chancery:test", bundle: true },
    ...{ nodeIds: [], clients: [] },
    owned: [live as unknown as WatchedObject, serverCertificateOf(object)],
    serverNames: alternativeNames([`marin3r-made.${namespace}.svc`]),
  });
  const deployment = apply.find(({ kind }) => kind === "Deployment")!;
  // Its controller may write in between, and then it is looked at again.
  await eventually(() => open.store.apply(deployment, { fieldManager: "chancery", force: true }), {
    what: "the Deployment to be taken over",
  });
  const { metadata, spec } = await cluster.request("GET", `${path}/marin3r-made`) as DeploymentObject;
  const [container] = spec.template.spec.containers;
  expect(spec.template.spec.volumes.map(({ name, ...source }) => [name, ...Object.keys(source)])).toEqual([
    ["server-cert", "secret"],
    ["ca-cert", "configMap"],
  ]);
  expect(container?.volumeMounts.map(({ name }) => name)).toEqual(["server-cert", "ca-cert"]);
  expect(container?.args).not.toContain("--client-certificate-path=/etc/marin3r/tls/client");
  expect({ strategy: spec.strategy, replicas: spec.replicas }).toEqual({ strategy: { type: "Recreate" }, replicas: 2 });
  expect(metadata.annotations["example.com/team"]).toBe("edge");
  expect(spec.template.metadata.labels["marin3r.3scale.net/server-certificate-hash"]).toBe("oldhash");
});

clusterTest(
  "the number of Envoys never falls: not from ten when an autoscaler takes over, nor from its seven",
  async () => {
    const { cluster, namespace } = await place({ strict: false });
    await using open = await openStore(cluster.kubeconfig);
    const references = { envoyConfigRef: "config", discoveryServiceRef: "ds" };
    const spec = { ...references, replicas: { static: 10 } };
    const made = await create<EnvoyDeployment>(cluster, namespace, "EnvoyDeployment", "envoydeployments", spec);
    const key = { kind: "Deployment", namespace, name: "marin3r-envoydeployment-made" };

    async function reconcile(replicas: object): Promise<number> {
      const live = await open.store.get(key);
      const { apply } = planEnvoyDeployment({
        ...{ ...GIVEN, now: Date.now() },
        object: { ...made, spec: { ...references, replicas } },
        owned: live ? [live as unknown as WatchedObject] : [],
        discoveryService: {
          ...{ apiVersion: OPERATOR_API_VERSION, kind: "DiscoveryService", metadata: { name: "ds", namespace } },
          status: { conditions: [VERIFIABLE] },
        },
        namespace: { restricted: false, userIsSet: false },
      });
      const deployment = apply.find(({ kind }) => kind === "Deployment")!;
      const { spec } = await open.store.apply(deployment, { fieldManager: "chancery", force: true });
      return (spec as { replicas: number }).replicas;
    }

    const dynamic = { dynamic: { minReplicas: 1, maxReplicas: 20 } };
    expect(await reconcile({ static: 10 })).toBe(10);
    expect(await reconcile(dynamic)).toBe(10);
    expect(await reconcile(dynamic)).toBe(10);
    const scale =
      `/apis/apps/v1/namespaces/${namespace}/deployments/${key.name}/scale?fieldManager=kube-controller-manager`;
    await cluster.request("PATCH", scale, { spec: { replicas: 7 } }, MERGE);
    expect(await reconcile(dynamic)).toBe(7);
    expect(await reconcile(dynamic)).toBe(7);
    await cluster.request("PATCH", scale, { spec: { replicas: 12 } }, MERGE);
    expect(await reconcile(dynamic)).toBe(12);
  },
);

interface DeploymentObject {
  readonly metadata: { readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas: number;
    readonly strategy: object;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: {
        readonly volumes: readonly { readonly name: string }[];
        readonly containers: readonly { readonly args: string[]; readonly volumeMounts: { readonly name: string }[] }[];
      };
    };
  };
}

/** The Deployment of a discovery service as older programs wrote it. */
function olderDeployment(owner: DiscoveryService): object {
  const { name, namespace } = owner.metadata;
  const labels = {
    "app.kubernetes.io/name": "marin3r",
    "app.kubernetes.io/managed-by": "marin3r-operator",
    "app.kubernetes.io/component": "discovery-service",
    "app.kubernetes.io/instance": name,
  };
  const volumes = ["server-cert", "ca-cert", "client-cert"];
  const paths = ["server", "ca", "client"].map((one) => `/etc/marin3r/tls/${one}`);
  const flags = ["server", "ca", "client"].map((one) => `--${one}-certificate-path=/etc/marin3r/tls/${one}`);
  const probe = (path: string) => ({ httpGet: { path, port: 8384, scheme: "HTTP" }, periodSeconds: 10 });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...ownedBy(owner, `marin3r-${name}`), labels },
    spec: {
      replicas: 1,
      strategy: { type: "Recreate" },
      selector: { matchLabels: labels },
      template: {
        metadata: { labels: { ...labels, "marin3r.3scale.net/server-certificate-hash": "oldhash" } },
        spec: {
          serviceAccountName: `marin3r-${name}`,
          volumes: [
            { name: "server-cert", secret: { secretName: `marin3r-server-cert-${name}`, defaultMode: 420 } },
            { name: "ca-cert", secret: { secretName: `marin3r-ca-cert-${name}`, defaultMode: 420 } },
            { name: "client-cert", secret: { secretName: "envoy-sidecar-client-cert", defaultMode: 420 } },
          ],
          containers: [{
            name: "marin3r",
            image: "example.com/marin3r:old",
            args: ["discovery-service", ...flags, "--xdss-port=18000"],
            env: [{ name: "WATCH_NAMESPACE", value: namespace }],
            ports: [{ name: "discovery", containerPort: 18000, protocol: "TCP" }],
            livenessProbe: probe("/healthz"),
            readinessProbe: probe("/readyz"),
            volumeMounts: volumes.map((volume, index) => ({
              name: volume,
              mountPath: `${paths[index]}/`,
              readOnly: true,
            })),
          }],
        },
      },
    },
  };
}

function serverCertificateOf(object: DiscoveryService): WatchedObject {
  const certificate: DiscoveryServiceCertificate = {
    apiVersion: OPERATOR_API_VERSION,
    kind: "DiscoveryServiceCertificate",
    metadata: ownedBy(object, `marin3r-server-cert-${object.metadata.name}`),
    spec: { commonName: "x", validFor: 1, signer: {}, secretRef: {} },
    status: { certificateHash: "6956b4fc7f" },
  };
  return { ...certificate };
}

async function place({ strict = true } = {}): Promise<{ cluster: ControlPlane; namespace: string }> {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace();
  const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
  if (strict) await cluster.request("PATCH", `/api/v1/namespaces/${namespace}`, { metadata: { labels } }, MERGE);
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
