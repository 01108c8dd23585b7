import { type Finding, hasErrors, type PathSegment } from "../../base/mod.ts";
import { addToYaml, type ParsedDocument, removeFromYaml, type YamlAddition } from "../../base/yaml/mod.ts";
import { podTemplatePath } from "../../inject/mod.ts";
import { type YamlPart, yamlParts } from "./yaml_parts.ts";

/** What became of a text. */
export interface EditedManifests {
  readonly text: string;
  /** Objects that were changed, such as `Deployment "shop/web"`. */
  readonly changed: readonly string[];
  /** With places; the text is as it was where one is an error. */
  readonly findings: readonly Finding[];
}

/** An object of a text that makes pods. */
export interface PodMaker {
  readonly value: JsonObject;
  readonly namespace: string;
  /** The pod that it is, or that it makes. */
  readonly pod: unknown;
}

/** What is to be changed of a pod; paths within the pod. */
export interface PodEdit {
  readonly add?: readonly YamlAddition[];
  /** Taken away one after the other. */
  readonly remove?: readonly (readonly PathSegment[])[];
  readonly findings: readonly Finding[];
}

/** Options of {@linkcode editManifests}. */
export interface EditManifestsOptions {
  /** Name of the text in findings. */
  readonly file: string;
  /** Of objects that name none. */
  readonly namespace: string;
  /** Given all objects of the text, says what becomes of each pod; `undefined`: it is left alone. */
  plan(objects: readonly JsonObject[]): (maker: PodMaker) => PodEdit | undefined;
}

type JsonObject = Readonly<Record<string, unknown>>;

/** Changes pods and templates of pods within a text. Everything else stays as it was written, comments included. */
export function editManifests(text: string, { file, namespace, plan }: EditManifestsOptions): EditedManifests {
  const { parts, findings } = yamlParts(text, file);
  const all = [...findings];
  const changed: string[] = [];
  const editPod = plan(parts.flatMap(({ document }) => objectsIn(document)).map(({ value }) => value));
  const texts = parts.map((part) => {
    const add: YamlAddition[] = [];
    const remove: (readonly PathSegment[])[] = [];
    for (const { value, path } of objectsIn(part.document)) {
      const template = podTemplatePath(value.apiVersion, value.kind);
      if (!template) continue;
      const pod = template.reduce<unknown>((found, name) => isObject(found) ? found[name] : undefined, value);
      const named = value.metadata as { name?: string; namespace?: string } | undefined;
      const maker = { value, pod, namespace: named?.namespace ?? namespace };
      const edit = editPod(maker);
      if (!edit) continue;
      const within = (inPod: readonly PathSegment[]) => [...path, ...template, ...inPod];
      all.push(...edit.findings.map((finding): Finding => {
        const at = within(finding.path);
        const source = part.document?.positionOf(at);
        return { ...finding, path: at, ...(source && { source }) };
      }));
      add.push(...(edit.add ?? []).map((one) => ({ ...one, path: within(one.path) })));
      remove.push(...(edit.remove ?? []).map(within));
      if (edit.add || edit.remove) {
        changed.push(`${value.kind} ${JSON.stringify(`${maker.namespace}/${named?.name ?? ""}`)}`);
      }
    }
    return `${part.head}${edited(part, { add, remove })}`;
  });
  return hasErrors(all) ? { text, changed: [], findings: all } : { text: texts.join(""), changed, findings: all };
}

interface FoundObject {
  readonly value: JsonObject;
  readonly path: readonly PathSegment[];
}

/** The object of a document, or those of a list. */
function objectsIn(document: ParsedDocument | undefined): FoundObject[] {
  const value = document?.value;
  if (!isObject(value)) return [];
  if (value.kind !== "List" || !Array.isArray(value.items)) return [{ value, path: [] }];
  return value.items.flatMap((item, index) => isObject(item) ? [{ value: item, path: ["items", index] }] : []);
}

/** JSON stays JSON. */
function edited({ body }: YamlPart, { add, remove }: Required<Omit<PodEdit, "findings">>): string {
  if (add.length === 0 && remove.length === 0) return body;
  const text = remove.length > 0 ? removeFromYaml(body, remove) : addToYaml(body, add);
  if (!body.trimStart().startsWith("{")) return text;
  const [document] = yamlParts(text, "").parts;
  return `${JSON.stringify(document?.document?.value, null, 2)}\n`;
}

/** Whether a value is an object of JSON. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
