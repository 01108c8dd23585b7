import { expect } from "expect";
import { eventually } from "../../envoy/harness/mod.ts";
import { clusterTest, type ControlPlane, sharedControlPlane, startControlPlane } from "../control_plane/mod.ts";
import { EARLIER_OPERATOR_CRDS } from "./earlier_operator_crds.ts";
import { FULL_CERTIFICATE, fullDiscoveryService, fullEnvoyDeployment, fullValue } from "./full_objects.ts";

const GROUP = "operator.marin3r.3scale.net";
const API_VERSION = `${GROUP}/v1alpha1`;
const MERGE = "application/merge-patch+json";

type Plural = "discoveryservices" | "discoveryservicecertificates" | "envoydeployments";

const KINDS: Readonly<Record<Plural, string>> = {
  discoveryservices: "DiscoveryService",
  discoveryservicecertificates: "DiscoveryServiceCertificate",
  envoydeployments: "EnvoyDeployment",
};

const CERTIFICATE = { commonName: "cn", validFor: 100, signer: { selfSigned: {} }, secretRef: { name: "s" } };
const ENVOYS = { envoyConfigRef: "config", discoveryServiceRef: "ds" };

clusterTest("no field of the operator's kinds is lost, nor of what they embed", async (t) => {
  const { cluster, namespace } = await place();
  const status = await fullValue(cluster, "apis/apps/v1", "io.k8s.api.apps.v1.DeploymentStatus");
  const full: readonly { name: string; plural: Plural; spec: object; status: object }[] = [
    ...(["pkiConfg", "pkiConfig"] as const).map((spelling) => ({
      name: spelling.toLowerCase(),
      plural: "discoveryservices" as const,
      spec: {},
      status: { deploymentName: "d", deploymentStatus: status, observedGeneration: 1 },
      spelling,
    })),
    {
      name: "certificate",
      plural: "discoveryservicecertificates",
      spec: FULL_CERTIFICATE,
      status: {
        ...{ ready: true, notBefore: AT, notAfter: AT, certificateHash: "6956b4fc7f", observedGeneration: 1 },
        rotation: {
          ...{ phase: "Retire", since: AT, current: "ab", lastSigned: AT, told: { bundle: "ab", since: AT } },
          earlier: [{ fingerprint: "cd", until: AT }],
        },
        conditions: [{ type: "Ready", status: "True", reason: "R", message: "m", lastTransitionTime: AT }],
      },
    },
    {
      name: "envoys",
      plural: "envoydeployments",
      spec: await fullEnvoyDeployment(cluster),
      status: { deploymentName: "d", deploymentStatus: status, replicas: 1, selector: "a=b", observedGeneration: 1 },
    },
  ];
  for (const { name, plural, status, ...rest } of full) {
    await t.step(`${plural}/${name}`, async () => {
      const spec = "spelling" in rest
        ? await fullDiscoveryService(cluster, rest.spelling as "pkiConfg" | "pkiConfig")
        : rest.spec;
      const made = await create(cluster, { namespace, plural, name, spec });
      expect(made.spec).toEqual(spec);
      const path = `${collection(namespace, plural)}/${name}`;
      await cluster.request("PATCH", `${path}/status?fieldValidation=Strict`, { status }, MERGE);
      expect(await cluster.request("GET", path)).toMatchObject({ spec, status });
    });
  }
});

const AT = "2026-01-02T03:04:05Z";

/** What the API server refuses without a webhook, with a part of what it says. */
const REFUSED: readonly { plural: Plural; spec: object | undefined; says: string }[] = [
  { plural: "discoveryservices", spec: { xdsServerPort: 0 }, says: "greater than or equal to 1" },
  { plural: "discoveryservices", spec: { metricsPort: 65536 }, says: "less than or equal to 65535" },
  {
    plural: "discoveryservices",
    spec: { xdsServerPort: 8383 },
    says: "xdsServerPort, metricsPort and probePort must differ",
  },
  { plural: "discoveryservices", spec: { metricsPort: 1, probePort: 1 }, says: "must differ" },
  { plural: "discoveryservices", spec: { serviceConfig: { type: "Nowhere" } }, says: "Unsupported value" },
  { plural: "discoveryservices", spec: { clientAuthorization: "on" }, says: "Unsupported value" },
  { plural: "discoveryservices", spec: { replicas: -1 }, says: "greater than or equal to 0" },
  { plural: "discoveryservices", spec: { pkiConfg: {}, pkiConfig: {} }, says: "only one of pkiConfig and pkiConfg" },
  { plural: "discoveryservices", spec: { pkiConfig: { trustDelay: "5 minutes" } }, says: "should match" },
  { plural: "discoveryservices", spec: { pkiConfig: { keyAlgorithm: "RSA-1024" } }, says: "Unsupported value" },
  { plural: "discoveryservices", spec: { resources: { limits: { cpu: "much" } } }, says: "should match" },
  { plural: "discoveryservicecertificates", spec: undefined, says: "spec must be set" },
  { plural: "discoveryservicecertificates", spec: { ...CERTIFICATE, validFor: 0 }, says: "greater than or equal to 1" },
  { plural: "discoveryservicecertificates", spec: { ...CERTIFICATE, validFor: 1e12 }, says: "less than or equal to" },
  {
    plural: "discoveryservicecertificates",
    spec: { ...CERTIFICATE, secretRef: {} },
    says: "secretRef.name must be set",
  },
  {
    plural: "discoveryservicecertificates",
    spec: { ...CERTIFICATE, commonName: "" },
    says: "commonName must not be empty",
  },
  { plural: "envoydeployments", spec: { envoyConfigRef: "c" }, says: "discoveryServiceRef" },
  { plural: "envoydeployments", spec: { ...ENVOYS, envoyConfigRef: "" }, says: "envoyConfigRef must not be empty" },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, replicas: { static: 1, dynamic: { maxReplicas: 1 } } },
    says: "only one of static and dynamic",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, replicas: { dynamic: { minReplicas: 3, maxReplicas: 2 } } },
    says: "minReplicas must be at most maxReplicas",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 } },
    says: "only one of minAvailable and maxUnavailable",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, ports: [{ name: "a", port: 0 }] },
    says: "port must be between 1 and 65535",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, ports: [{ name: "a", port: 1, protocol: "tcp" }] },
    says: "protocol must be TCP, UDP or SCTP",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, shutdownManager: { drainStrategy: "slow" } },
    says: "Unsupported value",
  },
  {
    plural: "envoydeployments",
    spec: { ...ENVOYS, workload: "DaemonSet", replicas: { static: 1 } },
    says: "replicas must not be set",
  },
  { plural: "envoydeployments", spec: { ...ENVOYS, livenessProbe: { periodSeconds: 1 } }, says: "Required value" },
  { plural: "envoydeployments", spec: { ...ENVOYS, duration: "2 days" }, says: "should match" },
];

clusterTest("O3: what cannot be right is refused without a webhook", async () => {
  const { cluster, namespace } = await place();
  for (const { plural, spec, says } of REFUSED) {
    const said = await create(cluster, { namespace, plural, name: "x", spec }).then(
      () => "it was admitted",
      (error: Error) => error.message,
    );
    expect({ spec, said }).toEqual({ spec, said: expect.stringContaining(says) });
  }
});

clusterTest("O3: kubectl get shows the operator's kinds by their short names", async () => {
  const { cluster, namespace } = await place();
  const condition = (status: string, reason: string) => [
    { type: "Ready", status, reason, message: "", lastTransitionTime: AT },
  ];
  await create(cluster, { namespace, plural: "discoveryservices", name: "one", spec: undefined });
  await setStatus(cluster, { namespace, plural: "discoveryservices", name: "one" }, {
    deploymentStatus: { availableReplicas: 2 },
    conditions: condition("True", "AllReplicasReady"),
  });
  await create(cluster, { namespace, plural: "discoveryservicecertificates", name: "two", spec: CERTIFICATE });
  await setStatus(cluster, { namespace, plural: "discoveryservicecertificates", name: "two" }, {
    ...{ ready: true, notBefore: AT, notAfter: "2026-01-03T03:04:05Z" },
  });
  await create(cluster, { namespace, plural: "envoydeployments", name: "three", spec: ENVOYS });
  await setStatus(cluster, { namespace, plural: "envoydeployments", name: "three" }, {
    ...{ replicas: 3, deploymentStatus: { availableReplicas: 1 }, conditions: condition("False", "ReplicasNotReady") },
  });
  expect(await table(cluster, ["get", "xds", "-n", namespace])).toEqual([
    ["NAME", "READY", "AVAILABLE", "AGE"],
    ["one", "True", "2", expect.stringMatching(/^\d+s$/)],
  ]);
  expect(await table(cluster, ["get", "dsc", "-n", namespace])).toEqual([
    ["NAME", "READY", "NOT BEFORE", "NOT AFTER"],
    ["two", "true", AT, "2026-01-03T03:04:05Z"],
  ]);
  expect(await table(cluster, ["get", "ed", "-n", namespace])).toEqual([
    ["NAME", "CONFIG", "READY", "REPLICAS", "AVAILABLE", "AGE"],
    ["three", "config", "False", "3", "1", expect.stringMatching(/^\d+s$/)],
  ]);
});

clusterTest("O3: an EnvoyDeployment with static replicas can be scaled", async () => {
  const { cluster, namespace } = await place();
  const spec = { ...ENVOYS, replicas: { static: 1 } };
  await create(cluster, { namespace, plural: "envoydeployments", name: "edge", spec });
  await setStatus(cluster, { namespace, plural: "envoydeployments", name: "edge" }, { replicas: 1, selector: "a=b" });
  const path = `${collection(namespace, "envoydeployments")}/edge`;
  expect(await cluster.request("GET", `${path}/scale`)).toMatchObject({
    spec: { replicas: 1 },
    status: { replicas: 1, selector: "a=b" },
  });
  const { code, stderr } = await cluster.kubectl(["scale", "-n", namespace, "ed/edge", "--replicas=3"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(await cluster.request("GET", path)).toMatchObject({ spec: { replicas: { static: 3 } } });
});

clusterTest("objects of the operator's kinds that were stored under laxer CRDs can be edited", async (t) => {
  await using cluster = await startControlPlane({ components: ["etcd", "kube-apiserver"] });
  await cluster.apply(EARLIER_OPERATOR_CRDS);
  const names = Object.keys(KINDS).map((plural) => `crd/${plural}.${GROUP}`);
  await cluster.kubectl(["wait", "--for=condition=Established", "--timeout=30s", ...names]);
  const namespace = await cluster.namespace();
  const stored: readonly { plural: Plural; spec: object; neighbour: object; worse: object; says: string }[] = [
    {
      plural: "discoveryservices",
      spec: {
        ...{ xdsServerPort: 0, metricsPort: 70000, probePort: 70000, serviceConfig: { type: "Elsewhere" } },
        pkiConfg: {
          rootCertificateAuthority: { secretName: "a", duration: "soon" },
          serverCertificate: { secretName: "b", duration: "" },
        },
      },
      neighbour: { debug: true },
      worse: { metricsPort: 70001 },
      says: "less than or equal to 65535",
    },
    {
      plural: "discoveryservicecertificates",
      spec: { commonName: "", validFor: 0, signer: {}, secretRef: {} },
      neighbour: { server: true },
      worse: { validFor: -1 },
      says: "greater than or equal to 1",
    },
    {
      plural: "envoydeployments",
      spec: {
        ...{ envoyConfigRef: "", discoveryServiceRef: "", adminPort: 0, duration: "long" },
        ports: [{ name: "a", port: 0, protocol: "tcp" }],
        replicas: { static: 1, dynamic: { minReplicas: 3, maxReplicas: 2 } },
        podDisruptionBudget: { minAvailable: 1, maxUnavailable: 1 },
        shutdownManager: { serverPort: 0, drainTime: -1 },
      },
      neighbour: { image: "other" },
      worse: { ports: [{ name: "a", port: -1 }] },
      says: "port must be between 1 and 65535",
    },
  ];
  for (const { plural, spec } of stored) await create(cluster, { namespace, plural, name: "old", spec });
  await cluster.applyCrds();
  const probe = { namespace, plural: "discoveryservices", name: "probe", spec: { replicas: -1 } } as const;
  await eventually(
    () => expect(create(cluster, probe)).rejects.toThrow("greater than or equal to 0").then(() => true),
    { what: "our CRD at work", deadlineMs: 20_000 },
  );
  for (const { plural, spec, neighbour, worse, says } of stored) {
    await t.step(plural, async () => {
      const path = `${collection(namespace, plural)}/old`;
      const patch = (body: object, at = path) => cluster.request("PATCH", `${at}?fieldValidation=Strict`, body, MERGE);
      await patch({ metadata: { labels: { touched: "yes" }, finalizers: ["a.example/b"] } });
      await patch({ metadata: { finalizers: null } });
      await patch({ status: { observedGeneration: 1 } }, `${path}/status`);
      await patch({ spec: neighbour });
      expect(await cluster.request("GET", path)).toMatchObject({ spec: { ...spec, ...neighbour } });
      await expect(patch({ spec: worse })).rejects.toThrow(says);
    });
  }
});

clusterTest("manifests as users have them are admitted by the strictest kubectl", async () => {
  const { cluster, namespace } = await place();
  const { code, stdout, stderr } = await cluster.kubectl(
    ["apply", "--validate=strict", "-n", namespace, "-f", "-"],
    { stdin: MANIFESTS },
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.trim().split("\n")).toHaveLength(4);
});

const MANIFESTS = `
apiVersion: ${API_VERSION}
kind: DiscoveryService
metadata:
  name: discoveryservice
---
apiVersion: ${API_VERSION}
kind: DiscoveryService
metadata:
  name: other
spec:
  image: example.com/marin3r:test
  debug: true
  pkiConfg:
    rootCertificateAuthority: { secretName: marin3r-ca-cert-other, duration: 26280h }
    serverCertificate: { secretName: marin3r-server-cert-other, duration: 2160h0m0s }
  serviceConfig: { name: custom, type: LoadBalancer }
---
apiVersion: ${API_VERSION}
kind: DiscoveryServiceCertificate
metadata:
  name: certificate
spec:
  commonName: example.test
  hosts: [example.test, "*.example.test"]
  isCA: false
  secretRef: { name: certificate }
  server: true
  signer: { selfSigned: {} }
  validFor: 63072000
---
apiVersion: ${API_VERSION}
kind: EnvoyDeployment
metadata:
  name: envoy
spec:
  discoveryServiceRef: discoveryservice
  envoyConfigRef: config
  ports: [{ name: https, port: 8443 }]
  adminAccessLogPath: /dev/stdout
  resources: { limits: { cpu: 1, memory: 500Mi }, requests: { cpu: 100m } }
  replicas:
    dynamic:
      minReplicas: 1
      maxReplicas: 10
      metrics:
        - type: Resource
          resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } }
      behavior: { scaleDown: { stabilizationWindowSeconds: 60, policies: [{ type: Pods, value: 1, periodSeconds: 15 }] } }
  podDisruptionBudget: { minAvailable: 1 }
  livenessProbe: { initialDelaySeconds: 30, timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 10 }
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm: { topologyKey: kubernetes.io/hostname, labelSelector: { matchLabels: { a: b } } }
  shutdownManager: {}
  initManager: {}
`;

async function place(): Promise<{ cluster: ControlPlane; namespace: string }> {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  return { cluster, namespace: await cluster.namespace() };
}

function collection(namespace: string, plural: Plural): string {
  return `/apis/${API_VERSION}/namespaces/${namespace}/${plural}`;
}

async function create(
  cluster: ControlPlane,
  { namespace, plural, name, spec }: { namespace: string; plural: Plural; name: string; spec: object | undefined },
): Promise<{ spec?: object }> {
  return await cluster.request("POST", `${collection(namespace, plural)}?fieldValidation=Strict`, {
    ...{ apiVersion: API_VERSION, kind: KINDS[plural], metadata: { name } },
    ...(spec && { spec }),
  }) as { spec?: object };
}

async function setStatus(
  cluster: ControlPlane,
  { namespace, plural, name }: { namespace: string; plural: Plural; name: string },
  status: object,
): Promise<void> {
  const path = `${collection(namespace, plural)}/${name}/status?fieldValidation=Strict`;
  await cluster.request("PATCH", path, { status }, MERGE);
}

/** The cells of a table that kubectl prints: at least three blanks stand between them. */
async function table(cluster: ControlPlane, args: readonly string[]): Promise<string[][]> {
  const { stdout } = await cluster.kubectl(args);
  return stdout.trimEnd().split("\n").map((line) => line.trimEnd().split(/ {3,}/));
}
