import { expect } from "expect";
import { DISCOVERY_SERVICE_RIGHTS, installedObjects, installOptions, type Right } from "../../../src/install/mod.ts";
import { nodeTest } from "../node/mod.ts";
import { AuditedRights } from "./audited_rights.ts";
import { Users, XDS } from "./flows.ts";
import { InstallSite } from "./install_site.ts";

const DEFAULT = decodeURIComponent(new URL("../../../manifests/default", import.meta.url).pathname);
const NAMESPACE = "marin3r-system";
const ENVOYS = "app.kubernetes.io/component=envoy-deployment";

/** Rights that no flow of this test can use, and why. */
const UNUSED: readonly { readonly atom: RegExp; readonly why: string }[] = [
  { atom: /^bind clusterroles/, why: "asked for within the request that makes a binding" },
  {
    atom: /^update .*\/finalizers/,
    why: "asked for within the request that makes what is owned, on a cluster like this one",
  },
  { atom: /^patch events$/, why: "the same happens again: written once a minute at most" },
  { atom: /secrets "chancery-webhook-tls-next"$/, why: "the CA of the webhook changes once in years" },
];

function unexplained(unused: readonly string[]): string[] {
  return unused.filter((text) => !UNUSED.some(({ atom }) => atom.test(text)));
}

/** What the roles of a part of the installation allow. */
function rightsOf(part: "operator" | "webhook"): Right[] {
  const objects = installedObjects(installOptions())[part];
  return objects.flatMap(({ rules = [] }) => rules as Right[]); // of roles
}

/** Steps that go on at the same time. */
async function sideBySide(t: Deno.TestContext, steps: Readonly<Record<string, () => Promise<void>>>): Promise<void> {
  const unchecked = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };
  await Promise.all(Object.entries(steps).map(([name, fn]) => t.step({ name, fn, ...unchecked })));
}

nodeTest("what is installed serves, and its rights are those that it uses", async (t) => {
  await using site = await InstallSite.open();
  const { cluster } = site;
  const users = new Users(site, "shop");

  await t.step("kubectl apply -k manifests/default installs it", async () => {
    const { code, stderr } = await cluster.kubectl(["apply", "--server-side", "-k", DEFAULT]);
    expect([code, stderr]).toEqual([0, ""]);
  });

  await t.step("chancery install finds nothing to change, waits until it runs, and may be repeated", async () => {
    const first = await site.chancery(["install", "--timeout", "90s"]);
    if (first.code !== 0) throw new Error(`${first.err}\n${await site.story()}`);
    expect(first.out).not.toContain("created");
    const again = await site.chancery(["install", "--timeout", "90s"]);
    expect(again.out.split("\n").filter((line) => line !== "" && !line.endsWith(" unchanged"))).toEqual([]);
  });
  await cluster.kubectl(["create", "namespace", "shop"]);

  await t.step("Envoys of an EnvoyDeployment and of a sidecar serve requests", async () => {
    await users.discoveryService();
    await users.envoys("hello");
    await users.sidecars();
    await users.answered(
      "app.kubernetes.io/component=envoy-deployment",
      "http://127.0.0.1:8000/",
      (body) => body === "hello",
    );
    await users.answered("app=app", "http://127.0.0.1:8001/a/path", (body) => body.includes("/a/path"));
  });

  await t.step("everything else that users do is done, too", async (t) => {
    const others = new Users(site, "brief");
    const system = new Users(site, NAMESPACE);
    await cluster.kubectl(["create", "namespace", "brief"]);
    await sideBySide(t, {
      "what an EnvoyDeployment may have beside its pods comes and goes": () => users.companions(),
      "of many versions the last are kept": () => users.versions(12),
      "Secrets are referred to, and what is missing is told": () => users.references(),
      "what MARIN3R has left on a revision is taken off": () => users.finalizer(),
      "a VirtualService is served and deleted": () => users.virtualService(),
      "a pod tells the history of a configuration": () => users.history(),
    });
    await sideBySide(t, {
      "Envoys move to each node and back": () => users.onEachNode(),
      "what MARIN3R has made is taken over, and certificates of node ids go": () => others.takenOver(),
      "a node id that is taken is refused": () => users.takenNodeId(),
    });
    await sideBySide(t, {
      "another pod of the discovery service comes": () => users.anotherPod(XDS),
      "another pod of the webhook comes": () => system.anotherPod("app.kubernetes.io/component=webhook"),
    });
  });

  await t.step("nobody was refused a right, and everybody has used all of theirs", async () => {
    const audited = await AuditedRights.read(cluster.auditLog);
    expect([...audited.denied]).toEqual([]);
    const account = (name: string, namespace = NAMESPACE) => `system:serviceaccount:${namespace}:${name}`;
    const unused = {
      operator: audited.unused(rightsOf("operator"), [account("chancery-operator")]),
      webhook: audited.unused(rightsOf("webhook"), [account("chancery-webhook")]),
      discoveryService: audited.unused(DISCOVERY_SERVICE_RIGHTS, [account("marin3r-ds", "shop")]),
    };
    expect(Object.fromEntries(Object.entries(unused).map(([role, atoms]) => [role, unexplained(atoms)]))).toEqual({
      operator: [],
      webhook: [],
      discoveryService: [],
    });
  });

  await t.step("whoever may not install is told which rights are missing, before anything is done", async () => {
    const kubeconfig = await cluster.serviceAccount("brief", "nobody", []);
    const { code, out, err } = await site.chancery(["install"], { kubeconfig });
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("Cannot install: these rights are missing\n");
    expect(err).toContain("\n  create, get, patch customresourcedefinitions.apiextensions.k8s.io\n");
    expect(err).toContain(`\n  create, get, patch deployments.apps in namespace "${NAMESPACE}"\n`);
  });

  await t.step("chancery uninstall leaves what serves, and may be repeated", async () => {
    const first = await site.chancery(["uninstall"]);
    expect([first.code, first.err]).toEqual([0, ""]);
    expect(first.out).toContain(`deployment.apps/${NAMESPACE}/chancery-operator deleted\n`);
    expect(first.out).toContain(`namespace/${NAMESPACE} kept\n`);
    const again = await site.chancery(["uninstall"]);
    expect(again.code).toBe(0);
    expect(again.out.split("\n").filter((line) => line !== "" && !line.endsWith(" kept"))).toEqual([]);
    const { stdout } = await cluster.kubectl(["get", "envoyconfigs,discoveryservices", "-n", "shop", "-o", "name"]);
    expect(stdout).toContain("discoveryservice.operator.marin3r.3scale.net/ds");
    await users.envoys("still"); // no webhook is asked, and the discovery service serves what is new
    await users.answered(ENVOYS, "http://127.0.0.1:8000/", (body) => body === "still");
  });
});
