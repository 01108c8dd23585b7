import { createPatch } from "rfc6902";
import {
  allObjects,
  INSTALL_NAMESPACE,
  installedObjects,
  installOptions,
  type KubeObject,
  objectTitle,
  type SettingValues,
} from "../../src/install/mod.ts";
import { stringifyYaml } from "../../src/base/yaml/mod.ts";
import { defaultFiles } from "./default_manifests.ts";
import { GENERATED, kustomization, manifest } from "./manifest.ts";

/** Settings that change or add something to the default, each as a kustomization of its own upon it. */
const UPON_DEFAULT: Readonly<Record<string, SettingValues>> = {
  "with-cert-manager": { "certManager.enabled": true },
  "monitoring": { "monitoring.enabled": true },
  "network-policies": { "networkPolicies.enabled": true },
};

const ANOTHER_NAMESPACE =
  `${GENERATED}# The installation and everything it looks after is in one namespace, which has to be there. For another one:
# sed -i s/${INSTALL_NAMESPACE}/shop/g *.yaml
`;

/** `manifests/with-cert-manager/` and so on, and `manifests/single-namespace/`, which stands alone. */
export function overlays(): ReadonlyMap<string, string> {
  const upon = Object.entries(UPON_DEFAULT).flatMap(([name, settings]) => overlay(`manifests/${name}`, settings));
  const { files, kustomization } = defaultFiles({ watchNamespaces: [INSTALL_NAMESPACE] }, ANOTHER_NAMESPACE);
  const alone = [...files, ["kustomization.yaml", kustomization] as const];
  return new Map([...upon, ...alone.map(([name, text]) => [`manifests/single-namespace/${name}`, text] as const)]);
}

/** What has to be done to the default for it to be as with these settings. */
function overlay(folder: string, settings: SettingValues): [string, string][] {
  const before = new Map(objectsOf({}).map((object) => [objectTitle(object), object]));
  const after = new Map(objectsOf(settings).map((object) => [objectTitle(object), object]));
  const added = [...after].filter(([title]) => !before.has(title)).map(([, object]) => object);
  const patches = [...before].flatMap(([title, object]) => patchOf(object, after.get(title)));
  const resources = ["../default", ...(added.length > 0 ? ["added.yaml"] : [])];
  return [
    ...(added.length > 0 ? [[`${folder}/added.yaml`, manifest(added)] as [string, string]] : []),
    [`${folder}/kustomization.yaml`, kustomization({ resources, ...(patches.length > 0 && { patches }) })],
  ];
}

function objectsOf(settings: SettingValues): KubeObject[] {
  return allObjects(installedObjects(installOptions(settings)));
}

function patchOf(before: KubeObject, after: KubeObject | undefined): Record<string, unknown>[] {
  const { apiVersion, kind, metadata: { name, namespace } } = before;
  if (after === undefined) {
    const metadata = { name, ...(namespace !== undefined && { namespace }) };
    return [{ patch: stringifyYaml({ $patch: "delete", apiVersion, kind, metadata }) }];
  }
  const operations = createPatch(before, after);
  return operations.length === 0 ? [] : [{ target: { kind, name }, patch: stringifyYaml(operations) }];
}
