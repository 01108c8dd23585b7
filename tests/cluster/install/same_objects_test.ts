import { expect } from "expect";
import { parseYaml } from "../../../src/base/yaml/mod.ts";
import {
  allObjects,
  INSTALL_NAMESPACE,
  installedObjects,
  installOptions,
  type KubeObject,
  objectTitle,
  type SettingValues,
} from "../../../src/install/mod.ts";
import { clusterTest, sharedControlPlane } from "../control_plane/mod.ts";

const MANIFESTS = decodeURIComponent(new URL("../../../manifests", import.meta.url).pathname);

/** What each folder for kustomize shall amount to. */
const FOLDERS: Readonly<Record<string, SettingValues>> = {
  "default": {},
  "with-cert-manager": { "certManager.enabled": true },
  "monitoring": { "monitoring.enabled": true },
  "network-policies": { "networkPolicies.enabled": true },
  "single-namespace": { watchNamespaces: [INSTALL_NAMESPACE] },
};

/** Objects by their titles. */
function byTitle(objects: readonly KubeObject[]): Record<string, KubeObject> {
  return Object.fromEntries(objects.map((object) => [objectTitle(object), object]));
}

function objectsIn(yaml: string): KubeObject[] {
  const { documents, findings } = parseYaml(yaml, "rendered.yaml");
  expect(findings).toEqual([]);
  return documents.map(({ value }) => value as unknown as KubeObject); // every document is one
}

clusterTest("kustomize makes of each folder what chancery install makes of the same settings", async () => {
  const cluster = await sharedControlPlane();
  for (const [folder, settings] of Object.entries(FOLDERS)) {
    const { code, stdout, stderr } = await cluster.kubectl(["kustomize", `${MANIFESTS}/${folder}`]);
    expect([folder, code, stderr]).toEqual([folder, 0, ""]);
    expect(byTitle(objectsIn(stdout))).toEqual(byTitle(allObjects(installedObjects(installOptions(settings)))));
  }
});

clusterTest("an image that is set for kustomize is that of the pods that are made, too", async () => {
  const cluster = await sharedControlPlane();
  const folder = await Deno.makeTempDir({ prefix: "kustomize-" });
  try {
    for await (const { name } of Deno.readDir(`${MANIFESTS}/default`)) {
      await Deno.copyFile(`${MANIFESTS}/default/${name}`, `${folder}/${name}`);
    }
    const path = `${folder}/kustomization.yaml`;
    const text = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, text.replace(/newTag: .*/, 'newName: registry.example.com/it\n    newTag: "7"'));
    const { stdout } = await cluster.kubectl(["kustomize", folder]);
    const image = "registry.example.com/it:7";
    expect(byTitle(objectsIn(stdout))).toEqual(byTitle(allObjects(installedObjects(installOptions({ image })))));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
