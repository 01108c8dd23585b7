import { expect } from "expect";
import { clusterTest } from "../control_plane/mod.ts";
import { eventually } from "../../envoy/harness/mod.ts";
import { conditionOf, type Ground, openGround } from "./ground.ts";
import { writesIn } from "./writes.ts";

const DEPLOYMENT = "apps/v1/deployments/marin3r-ds";
const RESYNC_MS = 1_000;

/** What an API server writes in another way than users do is among it: quantities, ports without a protocol. */
const FULL = {
  ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", clusterID: "c", duration: "48h", extraArgs: ["-l", "debug"] },
  ports: [{ name: "https", port: 443 }, { name: "dns", port: 53, protocol: "UDP" }],
  replicas: {
    dynamic: {
      ...{ minReplicas: 1, maxReplicas: 3 },
      metrics: [{ type: "Resource", resource: { name: "cpu", target: { type: "AverageValue", averageValue: "0.5" } } }],
      behavior: { scaleDown: { policies: [{ type: "Pods", value: 1, periodSeconds: 60 }] } },
    },
  },
  resources: { requests: { cpu: "0.25", memory: "0.5Gi" }, limits: { memory: "1024Mi" } },
  podDisruptionBudget: { maxUnavailable: "10%" },
  service: { type: "Headless", labels: { a: "b" } },
  shutdownManager: {},
  tolerations: [{ key: "edge", operator: "Exists" }],
  nodeSelector: { disk: "fast" },
  affinity: {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [{
        weight: 1,
        podAffinityTerm: { topologyKey: "zone", labelSelector: { matchLabels: { a: "b" } } },
      }],
    },
  },
  podLabels: { a: "b" },
  podAnnotations: { a: "b" },
  imagePullSecrets: [{ name: "pull" }],
  securityContext: { readOnlyRootFilesystem: true },
};

/** Waits until nothing was written for several full looks at everything. */
async function quiet(ground: Ground): Promise<string[]> {
  let before = await writesIn(ground);
  let since = performance.now();
  return await eventually(async () => {
    const now = await writesIn(ground);
    if (now.length !== before.length) [before, since] = [now, performance.now()];
    return performance.now() - since > 4 * RESYNC_MS && before;
  }, { what: "the operator to be quiet", deadlineMs: 40_000, explain: () => before.join("\n") });
}

function envoyConfig(namespace: string) {
  const metadata = { name: "edge", namespace };
  const spec = { nodeID: "edge", envoyResources: {} };
  return { apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata, spec };
}

clusterTest(
  "C18, I19: what is as wanted is written once, and full looks at everything write nothing, no statuses either",
  async () => {
    await using ground = await openGround();
    const operator = ground.operator("operator-1", { args: ["--resync-period", `${RESYNC_MS}ms`] });
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    await ground.cluster.apply([envoyConfig(ground.namespace)]);
    await ground.apply("EnvoyDeployment", "full", FULL);
    await ground.apply("EnvoyDeployment", "plain", {
      ...{ envoyConfigRef: "edge", discoveryServiceRef: "ds", service: {}, ports: [{ name: "http", port: 8080 }] },
      podDisruptionBudget: { minAvailable: 1 },
    });
    await ground.until(DEPLOYMENT, "made", () => true);
    await ground.until("apps/v1/deployments/marin3r-envoydeployment-full", "made", () => true);
    await ground.until("apps/v1/deployments/marin3r-envoydeployment-plain", "made", () => true);
    await quiet(ground);
    expect(await operator.metric('chancery_objects_failing{kind="EnvoyDeployment"}')).toBe(0);
    // Whoever starts anew remembers nothing, and finds everything as wanted.
    const before = await writesIn(ground);
    expect(before).toContain("patch deployments/marin3r-envoydeployment-full");
    await operator.stop();
    await operator.start();
    expect((await quiet(ground)).slice(before.length)).toEqual([]);
    await operator.stop();
  },
);

clusterTest(
  "C8, C19: what is deleted or changed by hand comes back, what users add stays, lost owners are put back",
  async () => {
    await using ground = await openGround();
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    const made = await ground.until(DEPLOYMENT, "made", () => true);

    await ground.remove("services/marin3r-ds");
    await ground.remove("policy/v1/poddisruptionbudgets/marin3r-ds");
    await ground.remove("configmaps/marin3r-ca-bundle-ds");
    await ground.patch(DEPLOYMENT, {
      metadata: { annotations: { "example.com/team": "edge" }, ownerReferences: [] },
      spec: { replicas: 7, template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "now" } } } },
    });
    const path = "rbac.authorization.k8s.io/v1/rolebindings/marin3r-ds";
    await ground.patch(path, { metadata: { labels: { "app.kubernetes.io/managed-by": null } } });

    for (const one of ["services/marin3r-ds", "policy/v1/poddisruptionbudgets/marin3r-ds"]) {
      await ground.until(one, "there again", () => true);
    }
    await ground.until(
      "configmaps/marin3r-ca-bundle-ds",
      "there again",
      ({ data }) => /BEGIN/.test(data?.["ca.crt"] ?? ""),
    );
    await ground.until(
      path,
      "labelled again",
      ({ metadata }) => metadata.labels?.["app.kubernetes.io/managed-by"] === "marin3r-operator",
    );
    const after = await ground.until(DEPLOYMENT, "as wanted", (one) => {
      const { ownerReferences } = one.metadata as { ownerReferences?: readonly object[] };
      return one.spec?.["replicas"] === 2 && ownerReferences?.length === 1;
    });
    expect(after.metadata.uid).toBe(made.metadata.uid);
    expect(after.metadata.annotations?.["example.com/team"]).toBe("edge");
    expect(JSON.stringify(after.spec?.["template"])).toContain("restartedAt");
    await operator.stop();
  },
);

clusterTest("an operator that is killed in the middle leaves a state that the next one ends", async () => {
  await using ground = await openGround();
  const first = ground.operator("operator-1");
  await first.start();
  await ground.apply("DiscoveryService", "ds");
  await ground.until("secrets/marin3r-ca-cert-ds", "made", () => true);
  await first.kill();
  const second = ground.operator("operator-2");
  await second.start();
  await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted");
  await ground.until(DEPLOYMENT, "made", () => true);
  await second.stop();
});

clusterTest("of two operators one writes, and the other takes over when it ends", async () => {
  await using ground = await openGround();
  const [first, second] = [ground.operator("operator-1"), ground.operator("operator-2")];
  await first.start();
  await second.start();
  const held = 'chancery_lease_held{group="operator"}';
  expect([await first.metric(held), await second.metric(held)]).toEqual([1, 0]);
  await first.stop();
  await eventually(async () => await second.metric(held) === 1, { what: "the second to lead", deadlineMs: 30_000 });
  await ground.apply("DiscoveryService", "ds");
  await ground.until(DEPLOYMENT, "made", () => true);
  await second.stop();
});

clusterTest("C6, C9: what bears our names and is not ours is told and left alone, also while paused", async () => {
  await using ground = await openGround();
  const { cluster, namespace } = ground;
  const tls = { "tls.crt": "bm90aGluZw==", "tls.key": "bm90aGluZw==" };
  await cluster.apply([
    { apiVersion: "v1", kind: "Secret", metadata: { name: "marin3r-server-cert-ds", namespace }, data: tls },
    { apiVersion: "v1", kind: "Service", metadata: { name: "marin3r-ds", namespace }, spec: { ports: [{ port: 1 }] } },
  ]);
  const operator = ground.operator("operator-1");
  await operator.start();
  await ground.apply("DiscoveryService", "ds");
  await ground.reason("discoveryservices/ds", "Reconciled", "NameTaken");
  await ground.reason("discoveryservicecertificates/marin3r-server-cert-ds", "UpToDate", "SecretNotOwned");
  expect((await ground.get("secrets/marin3r-server-cert-ds"))?.data).toEqual(tls);
  expect((await ground.get("services/marin3r-ds"))?.metadata.labels).toBeUndefined();
  expect(await ground.get(DEPLOYMENT)).toBeUndefined();
  // Two Events, one of each kind, for people.
  const events = await eventually(async () => {
    const { items } = await cluster.request("GET", `/api/v1/namespaces/${namespace}/events`) as {
      items: { reason: string; involvedObject: { kind: string } }[];
    };
    const reasons = items.map(({ reason }) => reason);
    return reasons.includes("NameTaken") && reasons.includes("SecretNotOwned") && items;
  }, { what: "Events about it" });
  expect(events.length).toBeGreaterThan(1);

  await ground.remove("secrets/marin3r-server-cert-ds");
  await ground.remove("services/marin3r-ds");
  await ground.until(DEPLOYMENT, "made", () => true);
  const paused = { metadata: { annotations: { "operator.marin3r.3scale.net/paused": "true" } } };
  await ground.patch("discoveryservices/ds", paused);
  await ground.reason("discoveryservices/ds", "Reconciled", "Paused");
  await ground.patch("discoveryservices/ds", { spec: { replicas: 3 } });
  await ground.until(
    "discoveryservices/ds",
    "seen",
    (object) => object.status?.["observedGeneration"] === object.metadata.generation,
  );
  expect((await ground.get(DEPLOYMENT))?.spec?.["replicas"]).toBe(2);
  await ground.patch("discoveryservices/ds", {
    metadata: { annotations: { "operator.marin3r.3scale.net/paused": null } },
  });
  await ground.until(DEPLOYMENT, "scaled", ({ spec }) => spec?.["replicas"] === 3);
  await operator.stop();
});

clusterTest(
  "O1, C17: what an EnvoyDeployment lacks is told, and a second DiscoveryService does not fight",
  async () => {
    await using ground = await openGround();
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("EnvoyDeployment", "front", { envoyConfigRef: "edge", discoveryServiceRef: "ds" });
    const path = "envoydeployments/front";
    await ground.reason(path, "Reconciled", "DiscoveryServiceNotFound");
    await ground.apply("DiscoveryService", "ds");
    const lacking = await ground.reason(path, "Reconciled", "EnvoyConfigNotFound");
    expect(conditionOf(lacking, "Reconciled")?.message).toBe('There is no EnvoyConfig "edge"');
    await ground.cluster.apply([envoyConfig(ground.namespace)]);
    await ground.reason(path, "Reconciled", "AsWanted");
    await new Promise((resolve) => setTimeout(resolve, 1000)); // ages are in whole seconds
    await ground.apply("DiscoveryService", "second");
    await ground.reason("discoveryservices/second", "Reconciled", "NotTheOldest");
    expect(await ground.get("apps/v1/deployments/marin3r-second")).toBeUndefined();
    await operator.stop();
  },
);

clusterTest("O1: what the API server does not take is told, and holds nothing else up", async () => {
  await using ground = await openGround();
  const operator = ground.operator("operator-1", { args: ["--resync-period", "1s"] });
  await operator.start();
  await ground.apply("DiscoveryService", "ds", { nodeSelector: { disk: "not a label!" } });
  const refused = await ground.reason("discoveryservices/ds", "Reconciled", "WriteRefused");
  expect(conditionOf(refused, "Reconciled")?.message).toContain("not a label!");
  await ground.until("services/marin3r-ds", "made", () => true);
  expect(await operator.metric('chancery_objects_failing{kind="DiscoveryService"}')).toBe(1);
  await ground.patch("discoveryservices/ds", { spec: { nodeSelector: null } });
  await ground.reason("discoveryservices/ds", "Reconciled", "AsWanted");
  await ground.until(DEPLOYMENT, "made", () => true);
  expect(await operator.metric('chancery_objects_failing{kind="DiscoveryService"}')).toBe(0);
  await operator.stop();
});

clusterTest(
  "A7, O7: deleting the server's certificate leaves the Deployment as it is, and another one is made; metrics tell of both",
  async () => {
    await using ground = await openGround();
    const operator = ground.operator("operator-1");
    await operator.start();
    await ground.apply("DiscoveryService", "ds");
    const made = await ground.until(DEPLOYMENT, "made", () => true);
    const path = "discoveryservicecertificates/marin3r-server-cert-ds";
    const { metadata: { uid } } = await ground.until(path, "usable", ({ status }) => status?.["ready"] === true);
    const of = `namespace="${ground.namespace}"`;
    const server = `{${of},name="marin3r-server-cert-ds"}`;
    expect(await operator.metric(`chancery_certificate_usable${server}`)).toBe(1);
    const days = await operator.metric(`chancery_certificate_expires_in_seconds${server}`) / 86_400;
    expect([days > 89, days <= 90]).toEqual([true, true]);

    // Whether the garbage collector takes the Secret away or the operator takes it back is a race: both are well.
    await ground.remove(path);
    const again = await ground.until(
      path,
      "made again",
      ({ metadata, status }) => metadata.uid !== uid && status?.["ready"] === true,
    );
    const kept = await ground.get(DEPLOYMENT);
    expect([kept?.metadata.uid, kept?.spec]).toEqual([made.metadata.uid, made.spec]);

    const issued = await operator.metric(`chancery_certificates_issued_total{${of}}`);
    await ground.remove("secrets/marin3r-server-cert-ds");
    const next = await ground.until(path, "issued anew", ({ status }) => {
      return status?.["ready"] === true && status["certificateHash"] !== again.status?.["certificateHash"];
    });
    expect(await operator.metric(`chancery_certificates_issued_total{${of}}`)).toBeGreaterThan(issued);
    const hash = "marin3r.3scale.net/server-certificate-hash";
    const after = await ground.until(
      DEPLOYMENT,
      "told of another certificate",
      ({ metadata }) => metadata.annotations?.[hash] === next.status?.["certificateHash"],
    );
    expect([after.metadata.uid, after.spec]).toEqual([made.metadata.uid, made.spec]);
    await operator.stop();
  },
);
