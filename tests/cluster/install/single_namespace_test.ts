import { expect } from "expect";
import {
  allObjects,
  installedObjects,
  type InstallOptions,
  installOptions,
  type KubeObject,
  objectTitle,
  type Right,
} from "../../../src/install/mod.ts";
import { chancery } from "../../standalone/chancery.ts";
import { clusterTest, type ControlPlane } from "../control_plane/mod.ts";
import { discoveryService } from "../webhook/injection_site.ts";
import { Installation } from "../webhook/installation.ts";
import { config } from "../webhook/webhook_site.ts";
import { auditedControlPlane } from "./audited_control_plane.ts";
import { AuditedRights } from "./audited_rights.ts";
import { nothingLeft } from "./nothing_left.ts";
import { oldPods } from "./old_pods.ts";
import { shownCertificates } from "./shown_certificates.ts";

const CONFIGURATIONS = ["mutating", "validating"] as const;

/** What is there of the objects of an installation, as far as it is installed. */
async function contents(cluster: ControlPlane, options: InstallOptions): Promise<Record<string, unknown>> {
  const items = allObjects(installedObjects(options));
  const { stdout, stderr } = await cluster.kubectl(["get", "--ignore-not-found", "-o", "json", "-f", "-"], {
    stdin: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
  });
  expect(stderr).toBe("");
  const there = stdout === "" ? [] : (JSON.parse(stdout) as { items: KubeObject[] }).items;
  return Object.fromEntries(there.map((object) => {
    const { metadata: { labels }, status: _, ...content } = object;
    return [objectTitle(object), { ...content, metadata: { labels } }];
  }));
}

/** Names of the objects of these kinds in a namespace, which the operator makes and nobody else. */
async function made(cluster: ControlPlane, namespace: string, kinds: string): Promise<string[]> {
  const { stdout, stderr } = await cluster.kubectl(["get", kinds, "-n", namespace, "-o", "name"]);
  expect(stderr.replace(/^No resources found.*\n/, "")).toBe("");
  return stdout.split("\n").filter((line) => line !== "").sort();
}

clusterTest("an installation for some namespaces sees to these, and to nothing of another one", async (t) => {
  await using parts = new AsyncDisposableStack();
  const cluster = await auditedControlPlane(parts);
  const [shop, blog, other] = await Promise.all(["shop", "blog", "other"].map((name) => cluster.namespace(name)));
  const watchNamespaces = [shop!, blog!];
  const options = installOptions({ watchNamespaces, image: "chancery:1" }, "mesh");
  const everywhere = installOptions();
  const kubeconfig = ["--kubeconfig", cluster.kubeconfig];

  await t.step("beside an installation for all namespaces it shares kinds and the roles of others only", async () => {
    const { crds, sharedRoles, namespace, ...rest } = installedObjects(everywhere);
    await cluster.apply([...crds, ...sharedRoles, ...namespace]);
    await cluster.apply(Object.values(rest).flat());
    const before = await contents(cluster, everywhere);
    const set = ["--set", `watchNamespaces=${watchNamespaces.join(",")}`, "--set", "image=chancery:1"];
    const installed = await chancery("install", "-n", "mesh", ...set, "--no-wait", ...kubeconfig);
    expect([installed.code, installed.stderr]).toEqual([0, ""]);
    const lines = installed.stdout.trim().split("\n");
    const shared = [...crds, ...sharedRoles].map(objectTitle);
    expect(lines.filter((line) => line.endsWith(" unchanged"))).toEqual(shared.map((title) => `${title} unchanged`));
    expect(lines.filter((line) => !/ (unchanged|created)$/.test(line))).toEqual([]);
    expect(await contents(cluster, everywhere)).toEqual(before);
  });

  await t.step("what goes with the other one leaves it as it is", async () => {
    const before = await contents(cluster, options);
    expect(Object.keys(before).sort()).toEqual(allObjects(installedObjects(options)).map(objectTitle).sort());
    const { code, stderr } = await chancery("uninstall", ...kubeconfig);
    expect([code, stderr]).toEqual([0, ""]);
    expect(await contents(cluster, options)).toEqual(before);
  });

  await using site = await Installation.in(cluster, { options, users: shop!, replicas: ["one"] });
  const [replica] = site.replicas;
  const operator = await site.manager("operator", "operator");

  await t.step(
    "the API server asks about these namespaces, and trusts the webhook in both configurations",
    async () => {
      for (const kind of CONFIGURATIONS) {
        for (const { namespaceSelector } of await site.configuration(kind)) {
          expect(namespaceSelector?.matchExpressions).toContainEqual({
            ...{ key: "kubernetes.io/metadata.name", operator: "In" },
            values: watchNamespaces,
          });
        }
      }
      await Promise.all([
        operator.start(),
        site.until("the certificate to be trusted", () => site.isTrusted(1)),
        replica!.start(...site.args("webhook"), "--image", "chancery:1"),
      ]);
    },
  );

  await t.step("an EnvoyConfig or a pod is looked at where it is told to, and nowhere else", async () => {
    const bad = config("edge", "edge", [{ type: "secret" }]);
    const create = (namespace: string) =>
      cluster.request("POST", `/apis/marin3r.3scale.net/v1alpha1/namespaces/${namespace}/envoyconfigs?dryRun=All`, bad);
    await expect(create(shop!)).rejects.toThrow("denied the request");
    await expect(create(blog!)).rejects.toThrow("denied the request");
    const asked = await replica!.reviews();
    await create(other!);
    expect(await site.createPod("app", other)).toEqual(["app"]);
    expect(await replica!.reviews()).toBe(asked);
  });

  await t.step("a DiscoveryService gets its objects there, and nowhere else", async () => {
    for (const namespace of [other!, shop!, blog!]) {
      await cluster.apply([{ ...discoveryService("ds"), metadata: { name: "ds", namespace } }]);
    }
    const kinds = "deployments,services,secrets,rolebindings,discoveryservicecertificates";
    for (const namespace of watchNamespaces) {
      await site.until(`everything of a DiscoveryService to be in ${namespace}`, async () => {
        const all = (await made(cluster, namespace, kinds)).join(" ");
        return ["deployment.apps/marin3r-ds", "service/marin3r-ds", "secret/", "rolebinding.rbac.authorization.k8s.io/"]
          .every((part) => all.includes(part));
      });
    }
    expect(await made(cluster, other!, kinds)).toEqual([]);
    await site.until("a pod to get a sidecar", async () => (await site.createPod("app")).includes("envoy-sidecar"));
    const keys = (await made(cluster, "mesh", "secrets")).join(" ");
    for (const namespace of watchNamespaces) expect(keys).toContain(`secret/chancery-ca.${namespace}.`);
  });

  await t.step("nobody was refused a right, and those over the cluster are all used", async () => {
    const audited = await AuditedRights.read(cluster.auditLog);
    expect([...audited.denied]).toEqual([]);
    const rights = installedObjects(options).operator
      .filter(({ kind }) => kind === "ClusterRole")
      .flatMap(({ rules }) => rules as Right[]); // of a role
    expect(rights).toHaveLength(CONFIGURATIONS.length);
    expect(audited.unused(rights, ["system:serviceaccount:mesh:chancery-operator"])).toEqual([]);
  });

  await t.step("O6: chancery status pods tells which pods are old, until they are renewed", async () => {
    await oldPods(cluster, { namespace: shop!, installation: "mesh" });
  });

  await t.step("chancery certs shows chains, bundles, node ids and how far a change of a CA is", async () => {
    await shownCertificates(cluster, { namespace: blog!, installation: "mesh" });
  });

  await t.step("chancery uninstall --delete-crds leaves nothing but what is of others", async () => {
    await nothingLeft(cluster, { namespace: other!, installation: "mesh" });
  });
});
