/**
 * `deno task test:packages`: what others read of ours, read by themselves: the chart by the real Helm, the bundle by OLM's own schema,
 * the overlays by those of the Prometheus operator and of cert-manager.io; `tests/packages/` has further readers. Not part of
 * `deno task test`, since they take minutes to build the first time.
 * @module
 */
import { expect } from "expect";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { clusterTest, type ControlPlane, startControlPlane } from "../cluster/control_plane/mod.ts";
import { CASES, givenValues, RELEASE, rendered, wanted } from "./cases.ts";
import { findHelm, goModule } from "./go_tools.ts";

const MANIFESTS = decodeURIComponent(new URL("../../manifests", import.meta.url).pathname);
const CHART = `${MANIFESTS}/chart`;

/** Who reads what, and where the schemas are in their Go modules. */
const SCHEMAS = [
  {
    module: "github.com/operator-framework/api",
    version: "v0.37.0",
    path: "crds/operators.coreos.com_clusterserviceversions.yaml",
  },
  {
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
    path: "example/prometheus-operator-crd",
  },
  { module: "github.com/cert-manager/cert-manager", version: "v1.21.2", path: "deploy/crds" },
] as const;

async function helm(args: readonly string[], { stdin = "", cluster }: { stdin?: string; cluster?: ControlPlane } = {}) {
  const child = new Deno.Command(await findHelm(), {
    args: [...args],
    env: cluster ? { KUBECONFIG: cluster.kubeconfig } : {},
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, out: decoder.decode(stdout), err: decoder.decode(stderr) };
}

Deno.test("helm lint finds nothing", async () => {
  const { code, out, err } = await helm(["lint", "--strict", CHART]);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("0 chart(s) failed");
});

for (const [name, settings] of Object.entries(CASES)) {
  Deno.test(`helm renders what chancery install makes of the same settings: ${name}`, async () => {
    const values = stringifyYaml(givenValues(settings));
    const { code, out, err } = await helm(["template", "chancery", CHART, "-n", RELEASE, "--values", "-"], {
      stdin: values,
    });
    expect([code, err]).toEqual([0, ""]);
    expect(rendered(out)).toEqual(wanted(settings));
  });
}

Deno.test("helm refuses what the schema of the values does not have", async () => {
  const { code, err } = await helm([
    "template",
    "chancery",
    CHART,
    "--set",
    "imge=a",
    "--set",
    "operator.replicas=two",
  ]);
  expect(code).toBe(1);
  expect(err).toContain("imge");
  expect(err).toContain("/operator/replicas");
});

clusterTest("what others read of ours is as their own schemas have it", async () => {
  await using cluster = await startControlPlane();
  const must = async (args: readonly string[]) => {
    const { code, stderr } = await cluster.kubectl(args);
    expect([args.join(" "), code, stderr]).toEqual([args.join(" "), 0, ""]);
  };
  for (const { module, version, path } of SCHEMAS) {
    await must(["apply", "--server-side", "-f", `${await goModule(module, version)}/${path}`]);
  }
  await must(["wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"]);
  await must(["create", "namespace", "placeholder"]);
  await must(["create", "--validate=strict", "-f", `${MANIFESTS}/olm/manifests/chancery.clusterserviceversion.yaml`]);
  for (const folder of ["with-cert-manager", "monitoring", "network-policies"]) {
    await must(["apply", "--server-side", "--force-conflicts", "--validate=strict", "-k", `${MANIFESTS}/${folder}`]);
  }
});

clusterTest("helm installs, upgrades, and leaves kinds behind when it goes", async () => {
  await using cluster = await startControlPlane();
  const at = ["chancery", CHART, "-n", "marin3r-system"];
  const installed = await helm(["install", ...at, "--create-namespace"], { cluster });
  expect([installed.code, installed.err]).toEqual([0, ""]);
  const upgraded = await helm(["upgrade", ...at, "--set", "webhook.replicas=3"], { cluster });
  expect([upgraded.code, upgraded.err]).toEqual([0, ""]);
  expect((await helm(["uninstall", "chancery", "-n", "marin3r-system"], { cluster })).code).toBe(0);
  const { stdout } = await cluster.kubectl(["get", "crd,clusterroles,deployments", "-A", "-o", "name"]);
  const ours = stdout.split("\n").filter((line) => /chancery|3scale/.test(line));
  expect(ours).toContain("clusterrole.rbac.authorization.k8s.io/chancery-discovery-service");
  expect(ours).toContain("customresourcedefinition.apiextensions.k8s.io/envoyconfigs.marin3r.3scale.net");
  expect(ours.filter((line) => line.startsWith("deployment"))).toEqual([]);
});
