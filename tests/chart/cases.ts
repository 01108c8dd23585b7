import { parseYaml } from "../../src/base/yaml/mod.ts";
import {
  installedObjects,
  installOptions,
  type KubeObject,
  objectTitle,
  type SettingValues,
} from "../../src/install/mod.ts";
import { SETTINGS } from "../../src/install/settings/mod.ts";

/** Settings that go every way through the templates. */
export const CASES: Readonly<Record<string, SettingValues>> = {
  "nothing is set": {},
  "everything is set": {
    ...{ image: "registry.example.com/chancery:7", imagePullSecrets: ["one", "two"], logLevel: "debug" },
    ...{ "operator.replicas": 2, "webhook.replicas": 3 },
    // Helm adds what is given to the defaults, so that each of them is given here.
    "operator.resources": { requests: { cpu: "1", memory: "1Gi" }, limits: { memory: "2Gi" } },
    ...{ nodeSelector: { disk: "fast" }, tolerations: [{ key: "a" }, { key: "b" }] },
    ...{ priorityClassName: "high", "monitoring.enabled": true, "networkPolicies.enabled": true },
  },
  "cert-manager.io": { "certManager.enabled": true },
  "two namespaces": { watchNamespaces: ["shop", "blog"], "monitoring.enabled": true },
  "two namespaces and cert-manager.io": { watchNamespaces: ["shop", "blog"], "certManager.enabled": true },
};

/** Namespace of the release. */
export const RELEASE = "mesh";

/** The values of the chart with these settings, as Helm has them: those of `values.yaml` below those that are given. */
export function valuesOf(settings: SettingValues): Record<string, unknown> {
  const { namespace: _, ...values } = installOptions(settings, RELEASE);
  return values;
}

/** Only what is set, as a file for `helm --values`. */
export function givenValues(settings: SettingValues): Record<string, unknown> {
  const given: Record<string, unknown> = {};
  for (const name of Object.keys(SETTINGS)) {
    const value = settings[name as keyof SettingValues]; // a name of the table
    if (value === undefined) continue;
    const [first = name, second] = name.split(".");
    given[first] = second === undefined ? value : { ...given[first] as object | undefined, [second]: value };
  }
  return given;
}

/** What the chart shall render: everything but the namespace, which `helm install --create-namespace` makes, and Helm's own mark. */
export function wanted(settings: SettingValues): Record<string, KubeObject> {
  const { namespace: _, ...objects } = installedObjects(installOptions(settings, RELEASE));
  return byTitle(Object.values(objects).flat());
}

/** The objects of rendered templates by their titles, without Helm's own mark. */
export function rendered(yaml: string): Record<string, KubeObject> {
  const { documents, findings } = parseYaml(yaml, "rendered.yaml");
  if (findings.length > 0) throw new Error(`The chart renders what is no YAML: ${JSON.stringify(findings[0])}`);
  return byTitle(documents.map(({ value }) => withoutMark(value as unknown as KubeObject))); // every document is one
}

const MARK = "helm.sh/resource-policy";

function withoutMark(object: KubeObject): KubeObject {
  const { [MARK]: _, ...annotations } = object.metadata.annotations ?? {};
  const { annotations: __, ...metadata } = object.metadata;
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(annotations).length > 0 && { annotations }) } as KubeObject["metadata"],
  };
}

function byTitle(objects: readonly KubeObject[]): Record<string, KubeObject> {
  return Object.fromEntries(objects.map((object) => [objectTitle(object), object]));
}
