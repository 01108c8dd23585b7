import { expect } from "expect";
import { runCaptured } from "../../../src/cli/fake_terminal.ts";
import { installedObjects, installOptions } from "../../../src/install/mod.ts";
import type { ControlPlane } from "../control_plane/mod.ts";

const API = "marin3r.3scale.net/v1alpha1";

/**
 * Takes away all of the installation in `installation` with `chancery uninstall --delete-crds`, beside objects in `namespace` that
 * MARIN3R or somebody else holds, and beside roles of an installation for all namespaces.
 */
export async function nothingLeft(
  cluster: ControlPlane,
  { installation, namespace }: { installation: string; namespace: string },
): Promise<void> {
  const others = installedObjects(installOptions()).operator.filter(({ kind }) => kind.startsWith("ClusterRole"));
  const held = (name: string, finalizer: string) => ({
    ...{ apiVersion: API, kind: "EnvoyConfig" },
    metadata: { name, namespace, finalizers: [finalizer] },
    spec: { nodeID: name, resources: [] },
  });
  await cluster.apply([...others, held("old", "finalizer.marin3r.3scale.net"), held("held", "example.com/audit")]);
  const uninstall = async (...words: string[]) => {
    const { status, out, err } = await runCaptured(
      ["uninstall", "-n", installation, "--kubeconfig", cluster.kubeconfig, ...words],
    );
    return { code: status, out: out.split("\n"), err };
  };
  const crd = (plural: string) => `customresourcedefinition.apiextensions.k8s.io/${plural}.marin3r.3scale.net`;
  const roles = others.map(({ kind, metadata: { name } }) =>
    `${kind.toLowerCase()}.rbac.authorization.k8s.io/${name} kept: it is of namespace "marin3r-system"`
  );

  // Nothing of it is asked for by accident.
  const kept = await uninstall();
  expect([kept.code, kept.err]).toEqual([0, ""]);
  expect(kept.out).toContain(`${crd("envoyconfigs")} kept`);

  const { stdout } = await cluster.kubectl(["get", "envoyconfigs", "-A", "-o", "name"]);
  const configs = stdout.trim().split("\n");
  expect(configs.length).toBeGreaterThan(1);

  // Nobody knows any more which namespaces it looked after.
  const again = await uninstall("--delete-crds", "--timeout", "3s");
  expect(again.code).toBe(4);
  expect(again.out.filter((line) => line.startsWith(crd("envoyconfigs")))).toEqual([
    `${crd("envoyconfigs")} deleted with ${configs.length} objects`,
  ]);
  expect(again.err).toContain(
    `Cannot wait any longer (--timeout): ${crd("envoyconfigs")} is still there\n` +
      `  envoyconfig.marin3r.3scale.net/${namespace}/held waits for "example.com/audit"\nNext: `,
  );
  const [, next = "", patch = ""] = /Next: kubectl (.*) -p '(.*)'/.exec(again.err) ?? [];
  expect(await cluster.kubectl([...next.split(" "), "-p", patch])).toMatchObject({ code: 0 });

  const last = await uninstall("--delete-crds");
  expect([last.code, last.err]).toEqual([0, ""]);
  expect(last.out.filter((line) => line.includes(" kept")).sort()).toEqual(roles.sort());
  expect((await uninstall("--delete-crds")).out.filter((line) => line !== "").sort()).toEqual(roles.sort());
  const left = await cluster.kubectl(["get", "crds,namespaces", "-o", "name"]);
  expect(left.stdout.split("\n").filter((line) => /3scale|l7mp/.test(line) || line === `namespace/${installation}`))
    .toEqual([]);
}
