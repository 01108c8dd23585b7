import { DISCOVERY_SERVICE, type DiscoveryService, OPERATOR_API_VERSION } from "../../api/operator/mod.ts";
import { type Finding, hasErrors, type PathSegment } from "../../base/mod.ts";
import { addToYaml, type ParsedDocument, type YamlAddition } from "../../base/yaml/mod.ts";
import { type Discovery, discoveryIn, INJECTION_LABEL, injectPod, podTemplatePath } from "../../inject/mod.ts";
import { type YamlPart, yamlParts } from "./yaml_parts.ts";

/** Options of {@linkcode injectManifests}. */
export interface InjectManifestsOptions {
  /** Name of the text in findings. */
  readonly file: string;
  readonly image: string;
  /** Image of Envoy for pods that name none; that of this version when undefined. */
  readonly envoyImage?: string | undefined;
  /** Of objects that name none. */
  readonly namespace: string;
  /** DiscoveryService of pods that name none, where the text has none; need not be in the text. */
  readonly discoveryService: string | undefined;
  /** Whether discovery services that are not in the text can be verified. */
  readonly verify: boolean;
}

/** What became of a text. */
export interface InjectedManifests {
  readonly text: string;
  /** Objects that got a sidecar, such as `Deployment "shop/web"`. */
  readonly injected: readonly string[];
  /** With places; the text is as it was where one is an error. */
  readonly findings: readonly Finding[];
}

/**
 * Gives a sidecar to each pod and each template of pods that asks for one by its label, as the webhook would. Everything
 * else stays as it
 * was written, comments included.
 */
export function injectManifests(text: string, options: InjectManifestsOptions): InjectedManifests {
  const { parts, findings } = yamlParts(text, options.file);
  const all = [...findings];
  const injected: string[] = [];
  const services = parts.flatMap(({ document }) => objectsIn(document)).map(({ value }) => value)
    .filter((value) => value.kind === DISCOVERY_SERVICE.kind && value.apiVersion === OPERATOR_API_VERSION)
    .map((value) => withNamespace(value as unknown as DiscoveryService, options.namespace)); // by its kind
  const texts = parts.map((part) => {
    const additions: YamlAddition[] = [];
    for (const { value, path } of objectsIn(part.document)) {
      const result = injectObject(value, { ...options, services });
      if (!result) continue;
      const place = (finding: Finding): Finding => {
        const at = [...path, ...finding.path];
        const source = part.document?.positionOf(at);
        return { ...finding, path: at, ...(source && { source }) };
      };
      all.push(...result.findings.map(place));
      if (result.additions.length === 0) continue;
      additions.push(...result.additions.map((one) => ({ ...one, path: [...path, ...one.path] })));
      injected.push(result.name);
    }
    return additions.length === 0 ? `${part.head}${part.body}` : `${part.head}${edited(part, additions)}`;
  });
  return hasErrors(all) ? { text, injected: [], findings: all } : { text: texts.join(""), injected, findings: all };
}

interface FoundObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly path: readonly PathSegment[];
}

/** The object of a document, or those of a list. */
function objectsIn(document: ParsedDocument | undefined): FoundObject[] {
  const value = document?.value;
  if (!isObject(value)) return [];
  if (value.kind !== "List" || !Array.isArray(value.items)) return [{ value, path: [] }];
  return value.items.flatMap((item, index) => isObject(item) ? [{ value: item, path: ["items", index] }] : []);
}

function injectObject(
  object: Readonly<Record<string, unknown>>,
  options: InjectManifestsOptions & { readonly services: readonly DiscoveryService[] },
): { name: string; additions: readonly YamlAddition[]; findings: readonly Finding[] } | undefined {
  const path = podTemplatePath(object.apiVersion, object.kind);
  if (!path) return undefined;
  const template = path.reduce<unknown>((value, name) => isObject(value) ? value[name] : undefined, object);
  if (!asksForSidecar(template)) return undefined;
  const { name = "", namespace = options.namespace } = object.metadata as { name?: string; namespace?: string } ?? {};
  const injection = injectPod(template, {
    ...{ image: options.image, envoyImage: options.envoyImage },
    discovery: (asked) => discoveryOf(asked, { ...options, namespace }),
  });
  const findings = injection.findings.map((finding) => ({ ...finding, path: [...path, ...finding.path] }));
  const additions = injection.kind !== "injected" ? [] : injection.patch.map(({ path: pointer, value }) => ({
    path: [...path, ...pointer.slice(1).split("/").map((word) => (/^\d+$/.test(word) ? Number(word) : word))],
    value,
  }));
  return { name: `${object.kind} ${JSON.stringify(`${namespace}/${name}`)}`, additions, findings };
}

/** Of the text, or one that is said to be in the namespace. */
function discoveryOf(
  asked: string | undefined,
  { services, namespace, discoveryService, verify }: InjectManifestsOptions & { services: readonly DiscoveryService[] },
): Discovery | string {
  const here = services.filter(({ metadata }) => metadata.namespace === namespace);
  const name = asked ?? (here.length === 0 ? discoveryService : undefined);
  if (name !== undefined && !here.some(({ metadata }) => metadata.name === name)) {
    const conditions = verify ? [VERIFIABLE] : [];
    here.push({
      apiVersion: OPERATOR_API_VERSION,
      kind: "DiscoveryService",
      metadata: { name, namespace },
      spec: {},
      status: { conditions },
    });
  }
  const found = discoveryIn(here, name);
  return typeof found === "string" && here.length === 0
    ? `${found}; --discovery-service names one of the cluster`
    : found;
}

const VERIFIABLE = {
  type: "ServerVerifiable",
  status: "True",
  reason: "Said",
  message: "",
  lastTransitionTime: "1970-01-01T00:00:00Z",
} as const;

function withNamespace(service: DiscoveryService, namespace: string): DiscoveryService {
  return { ...service, metadata: { ...service.metadata, namespace: service.metadata.namespace || namespace } };
}

function asksForSidecar(template: unknown): boolean {
  if (!isObject(template) || !isObject(template.metadata) || !isObject(template.metadata.labels)) return false;
  return template.metadata.labels[INJECTION_LABEL.name] === INJECTION_LABEL.value;
}

/** JSON stays JSON. */
function edited({ body }: YamlPart, additions: readonly YamlAddition[]): string {
  const text = addToYaml(body, additions);
  if (!body.trimStart().startsWith("{")) return text;
  const [document] = yamlParts(text, "").parts;
  return `${JSON.stringify(document?.document?.value, null, 2)}\n`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
