import { expect } from "expect";
import type { Remark } from "../../src/migrate/mod.ts";
import { chancery } from "../standalone/chancery.ts";
import { clusterTest, sharedControlPlane } from "./control_plane/mod.ts";

/** The webhook configurations of a MARIN3R that the Operator Lifecycle Manager has installed have names of their own. */
function injector(name: string) {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "MutatingWebhookConfiguration",
    metadata: { name },
    webhooks: [{
      name: "sidecar-injector.marin3r.3scale.net",
      clientConfig: { url: "https://127.0.0.1:1/pod-v1-mutate" },
      rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }],
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
    }],
  };
}

function manager(namespace: string) {
  const labels = { "control-plane": "controller-manager" };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "marin3r-controller-manager", namespace, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "manager", image: "marin3r:old", args: ["operator", "--leader-elect"] }] },
      },
    },
  };
}

clusterTest("migrate says what is in the way of an installation, which begins only when nothing is", async () => {
  const cluster = await sharedControlPlane();
  await cluster.applyCrds();
  const namespace = await cluster.namespace("migrate");
  await using cleanup = new AsyncDisposableStack();
  const remove = (path: string) => cluster.request("DELETE", path).then(() => {});
  const configuration = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${namespace}`;
  await cluster.apply([
    manager(namespace),
    injector(namespace),
    {
      ...{ apiVersion: "marin3r.3scale.net/v1alpha1", kind: "EnvoyConfig", metadata: { name: "edge", namespace } },
      spec: { nodeID: "edge", resources: [{ type: "cluster", value: { name: "a", conect_timeout: "1s" } }] },
    },
  ]);
  cleanup.defer(() => remove(configuration));
  /** Of other tests there may be objects, too. */
  const remarks = async () => {
    const { code, stdout } = await chancery("migrate", "--check", "--kubeconfig", cluster.kubeconfig, "-o", "json");
    const report = JSON.parse(stdout) as { ready: boolean; remarks: Remark[] };
    expect(code).toBe(report.ready ? 0 : 1);
    return report.remarks.filter(({ object }) => object?.includes(namespace));
  };
  const before = await remarks();
  expect(before.map(({ weight, object }) => [weight, object])).toEqual([
    ["first", `deployment.apps/${namespace}/marin3r-controller-manager`],
    ["first", `mutatingwebhookconfiguration.admissionregistration.k8s.io/${namespace}`],
    ["changes", `envoyconfig.marin3r.3scale.net/${namespace}/edge`],
  ]);

  const refused = await chancery("install", "-n", `${namespace}-new`, "--kubeconfig", cluster.kubeconfig);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain("Cannot install: an older program is in the way\n");
  expect(refused.stdout).toBe("");
  expect((await cluster.kubectl(["get", "namespace", `${namespace}-new`])).stderr).toContain("NotFound");

  for (const { weight, next } of before) {
    const [program, ...words] = next?.split(" ") ?? [];
    if (weight === "first") expect([program, (await cluster.kubectl(words)).code]).toEqual(["kubectl", 0]);
  }
  cleanup.move(); // that was one of the commands
  expect((await remarks()).filter(({ weight }) => weight === "first")).toEqual([]);

  const blind = await cluster.serviceAccount(namespace, "blind", []);
  expect(await chancery("migrate", "--kubeconfig", blind)).toMatchObject({
    ...{ code: 2, stdout: "", stderr: expect.stringMatching(/^error: Cannot list \w+: .*forbidden/i) },
  });
});
