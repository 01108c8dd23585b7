import { expect } from "expect";
import { allObjects, type InstalledObjects, installedObjects } from "./installed_objects.ts";
import { type KubeObject, objectTitle } from "./kube_object.ts";
import { installOptions, type SettingValues } from "./settings/mod.ts";

function objectsOf(values: SettingValues = {}, namespace?: string): InstalledObjects {
  return installedObjects(installOptions(values, namespace));
}

function titles(objects: readonly KubeObject[]): string[] {
  return objects.map(objectTitle);
}

Deno.test("installedObjects() names everything once", () => {
  const every = { "certManager.enabled": true, "monitoring.enabled": true, "networkPolicies.enabled": true };
  for (const values of [{}, every, { ...every, watchNamespaces: ["shop", "blog"] }]) {
    const all = titles(allObjects(objectsOf(values)));
    expect(all.length).toBe(new Set(all).size);
  }
});

Deno.test("installedObjects() gives rights in some namespaces only where only those are looked after", () => {
  const { operator, webhook, webhookConfigurations } = objectsOf({ watchNamespaces: ["shop", "blog"] }, "mesh");
  const rights = titles([...operator, ...webhook]).filter((title) => /role/.test(title));
  expect(rights.filter((title) => title.startsWith("role.")).sort()).toEqual(expect.arrayContaining([
    "role.rbac.authorization.k8s.io/blog/chancery-operator",
    "role.rbac.authorization.k8s.io/blog/chancery-webhook",
    "role.rbac.authorization.k8s.io/mesh/chancery-operator-own",
    "role.rbac.authorization.k8s.io/shop/chancery-operator",
    "role.rbac.authorization.k8s.io/shop/chancery-webhook",
  ]));
  // What is about objects of the cluster has the name of the installation, of which there may be several.
  for (const title of [...rights, ...titles(webhookConfigurations)]) {
    if (!/^(clusterrole|.*webhookconfiguration)/.test(title)) continue;
    expect(title).toMatch(/-mesh$/);
  }
});

Deno.test("installedObjects() leaves a namespace alone that it looks after itself", () => {
  expect(objectsOf({ watchNamespaces: ["shop"] }, "shop").namespace).toEqual([]);
  expect(titles(objectsOf({ watchNamespaces: ["shop"] }, "mesh").namespace)).toEqual(["namespace/mesh"]);
});

Deno.test("installedObjects() owns neither caBundle nor failurePolicy, which change while it runs", () => {
  for (const certManager of [true, false]) {
    const text = JSON.stringify(objectsOf({ "certManager.enabled": certManager }).webhookConfigurations);
    expect(text).not.toMatch(/caBundle|failurePolicy":/);
  }
});

Deno.test("S6: every pod that is installed is as the standard `restricted` has it, and writes to no disk", () => {
  const deployments = allObjects(objectsOf()).filter(({ kind }) => kind === "Deployment");
  expect(titles(deployments)).toEqual([
    "deployment.apps/marin3r-system/chancery-operator",
    "deployment.apps/marin3r-system/chancery-webhook",
  ]);
  for (const { spec } of deployments) {
    const { template } = spec as { template: { spec: { securityContext: object; containers: object[] } } };
    expect(template.spec.securityContext).toEqual({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    for (const container of template.spec.containers) {
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        },
        resources: { requests: { cpu: expect.any(String), memory: expect.any(String) } },
      });
    }
  }
});

Deno.test("A8: of two webhooks one answers whatever is replaced or drained, on another node where there is one", () => {
  const { webhook } = objectsOf();
  const [deployment, budget, service] = ["Deployment", "PodDisruptionBudget", "Service"].map((wanted) =>
    webhook.find(({ kind, metadata }) => kind === wanted && metadata.name === "chancery-webhook")
  );
  const labels = { "app.kubernetes.io/name": "chancery", "app.kubernetes.io/component": "webhook" };
  expect(deployment?.spec).toMatchObject({
    replicas: 2,
    strategy: { rollingUpdate: { maxUnavailable: 0 } },
    template: {
      metadata: { labels },
      spec: {
        topologySpreadConstraints: expect.arrayContaining([
          expect.objectContaining({ topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: labels } }),
        ]),
      },
    },
  });
  expect(budget?.spec).toMatchObject({ maxUnavailable: 1, selector: { matchLabels: labels } });
  expect(service?.spec).toMatchObject({ selector: labels });
});
