import { diffLines } from "diff";
import { type InstalledObjects, type KubeObject, objectTitle } from "../../../src/install/mod.ts";
import { stringifyYaml } from "../../../src/base/yaml/mod.ts";
import { objectsWithPlaceholders, templateText } from "./placeholders.ts";

/** A file of templates, and what has to be set for it to say anything. */
interface TemplateFile {
  readonly group: keyof InstalledObjects;
  readonly condition?: string;
}

const SOME = "$.Values.watchNamespaces";
const CERT_MANAGER = "$.Values.certManager.enabled";

const FILES: Readonly<Record<string, TemplateFile>> = {
  "crds.yaml": { group: "crds" },
  "shared_roles.yaml": { group: "sharedRoles" },
  "operator.yaml": { group: "operator" },
  "webhook.yaml": { group: "webhook" },
  "cert_manager.yaml": { group: "certManager" },
  "network_policies.yaml": { group: "networkPolicies", condition: "$.Values.networkPolicies.enabled" },
  "monitoring.yaml": { group: "monitoring", condition: "$.Values.monitoring.enabled" },
  "webhook_configurations.yaml": { group: "webhookConfigurations" },
};

/** What stays when a release is uninstalled: kinds, and the role of the discovery services that go on serving. */
const KEPT: ReadonlySet<keyof InstalledObjects> = new Set(["crds", "sharedRoles"]);

/** The templates of the chart by their file names. */
export function templates(): ReadonlyMap<string, string> {
  const [all, some] = [false, true].map((certManager) => ({
    without: objectsWithPlaceholders({ some: false, certManager }),
    with: objectsWithPlaceholders({ some: true, certManager }),
  }));
  return new Map(
    Object.entries(FILES).map(([name, { group, condition }]) => {
      const textsOf = (objects: InstalledObjects) => documents(objects, group);
      const own = merge(textsOf(all!.without), textsOf(all!.with), SOME);
      const others = merge(textsOf(some!.without), textsOf(some!.with), SOME);
      const text = [...merge(own, others, CERT_MANAGER).values()].join("");
      return [name, condition === undefined ? text : `{{- if ${condition} }}\n${text}{{- end }}\n`];
    }),
  );
}

/** Each object as a document of its own, by its title. */
function documents(objects: InstalledObjects, group: keyof InstalledObjects): Map<string, string> {
  return new Map(objects[group].map((object) => {
    const text = `---\n${stringifyYaml(KEPT.has(group) ? kept(object) : object)}`;
    const template = templateText(text);
    const each = object.metadata.namespace === "watched-namespace";
    return [objectTitle(object), each ? `{{- range $watched := ${SOME} }}\n${template}{{- end }}\n` : template];
  }));
}

function kept(object: KubeObject): KubeObject {
  const { metadata } = object;
  const annotations = { ...metadata.annotations, "helm.sh/resource-policy": "keep" };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** Both at once: where they differ, the condition decides which lines count. */
function merge(
  otherwise: ReadonlyMap<string, string>,
  then: ReadonlyMap<string, string>,
  condition: string,
): Map<string, string> {
  const titles = new Set([...otherwise.keys(), ...then.keys()]);
  return new Map(
    [...titles].map((title) => [title, either(otherwise.get(title) ?? "", then.get(title) ?? "", condition)]),
  );
}

function either(otherwise: string, then: string, condition: string): string {
  if (otherwise === then) return then;
  if (otherwise === "") return `{{- if ${condition} }}\n${then}{{- end }}\n`;
  if (then === "") return `{{- if not ${condition} }}\n${otherwise}{{- end }}\n`;
  let text = "";
  const pieces = diffLines(otherwise, then);
  for (let at = 0; at < pieces.length; at++) {
    const { value, added, removed } = pieces[at]!;
    if (!added && !removed) text += value;
    else if (removed && pieces[at + 1]?.added) {
      text += `{{- if ${condition} }}\n${pieces[++at]!.value}{{- else }}\n${value}{{- end }}\n`;
    } else text += `{{- if ${removed ? "not " : ""}${condition} }}\n${value}{{- end }}\n`;
  }
  return text;
}
