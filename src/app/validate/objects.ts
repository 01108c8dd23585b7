import { API_VERSION, GROUP, OPERATOR_API_VERSION, OPERATOR_GROUP } from "../../api/mod.ts";
import { MESH_API_VERSION, MESH_GROUP } from "../../api/virtual_service/mod.ts";
import { type Finding, type PathSegment, type SourcePosition, suggest } from "../../base/mod.ts";
import { type ParsedDocument, parseYaml } from "../../base/yaml/mod.ts";

/** Kinds that the operator makes things from. */
export const OPERATOR_KINDS: readonly string[] = ["DiscoveryService", "DiscoveryServiceCertificate", "EnvoyDeployment"];

/** Kinds that are looked at, and the API version they have to be of. */
export const KINDS: Readonly<Record<string, string>> = {
  EnvoyConfig: API_VERSION,
  Secret: "v1",
  EndpointSlice: "discovery.k8s.io/v1",
  VirtualService: MESH_API_VERSION,
  Pod: "v1",
  ...Object.fromEntries(OPERATOR_KINDS.map((kind) => [kind, OPERATOR_API_VERSION])),
};

/** The kinds that people write for us, by API group: what is near one of them was meant to be one. */
const OURS: Readonly<Record<string, readonly string[]>> = {
  [GROUP]: ["EnvoyConfig"],
  [MESH_GROUP]: ["VirtualService"],
  [OPERATOR_GROUP]: OPERATOR_KINDS,
};

/** Most problems about what is no object at all: a file of a million of them is not to fill the memory. */
const MAX_FINDINGS = 1000;

/** An object of a known kind, and where it was written. */
export interface FileObject {
  readonly kind: string;
  readonly namespace: string;
  /** Empty when it has none. */
  readonly name: string;
  readonly value: Readonly<Record<string, unknown>>;
  positionOf(path: readonly PathSegment[]): SourcePosition | undefined;
}

/** What one file holds. */
export interface FileContent {
  readonly objects: readonly FileObject[];
  /** Objects of which nothing is said. */
  readonly others: readonly FileObject[];
  /** About the text, and about what is no object; all with places. */
  readonly findings: readonly Finding[];
}

/**
 * Reads all objects of a text: several documents, lists of Kubernetes, YAML or JSON. One broken document leaves the rest.
 * Objects that name no namespace are of the given one, `default` when absent.
 */
export function objectsOf(text: string, file: string, { namespace = "default" } = {}): FileContent {
  const { documents, findings } = parseYaml(text, file);
  const objects: FileObject[] = [];
  const others: FileObject[] = [];
  const all = [...findings];
  for (const { value, positionOf } of allMembers(documents)) {
    if (all.length >= MAX_FINDINGS) {
      const message = `reading stopped after ${MAX_FINDINGS} problems of one file`;
      all.push(placed(problem([], message, { rule: "too-many-findings" }), positionOf));
      break;
    }
    const sorted = sortOut(value, namespace);
    if ("other" in sorted) others.push({ ...sorted.other, positionOf });
    else if ("object" in sorted) objects.push({ ...sorted.object, positionOf });
    else all.push(...sorted.findings.map((finding) => placed(finding, positionOf)));
  }
  return { objects, others, findings: all };
}

/** The finding with the place of its path, when it has none of its own. */
export function placed(finding: Finding, positionOf: FileObject["positionOf"]): Finding {
  if (finding.source) return finding;
  const source = positionOf(finding.path);
  return source ? { ...finding, source } : finding;
}

interface Member {
  readonly value: unknown;
  readonly positionOf: FileObject["positionOf"];
}

function* allMembers(documents: readonly ParsedDocument[]): Generator<Member> {
  for (const document of documents) yield* members(document);
}

/** A document, or the items of a `List`, whose paths count from the item. */
function* members(document: ParsedDocument): Generator<Member> {
  const { value } = document;
  const items = isRecord(value) && value["apiVersion"] === "v1" && value["kind"] === "List"
    ? value["items"]
    : undefined;
  if (!Array.isArray(items)) return yield { value, positionOf: (path) => document.positionOf(path) };
  for (const [index, item] of items.entries()) {
    yield { value: item as unknown, positionOf: (path) => document.positionOf(["items", index, ...path]) };
  }
}

type Sorted =
  | { readonly other: Omit<FileObject, "positionOf"> }
  | { readonly object: Omit<FileObject, "positionOf"> }
  | { readonly findings: readonly Finding[] };

function sortOut(value: unknown, usual: string): Sorted {
  if (!isRecord(value)) return { findings: [problem([], "must be an object with apiVersion and kind")] };
  const { apiVersion, kind } = value;
  const findings: Finding[] = [];
  for (const field of ["apiVersion", "kind"]) {
    if (value[field] === undefined) findings.push(problem([], `${field} must be set`, { rule: "required" }));
    else if (typeof value[field] !== "string") {
      findings.push(problem([field], `${field} must be a string`, { rule: "type" }));
    }
  }
  if (typeof apiVersion !== "string" || typeof kind !== "string") return { findings };
  const wanted = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
  const group = apiVersion.slice(0, Math.max(0, apiVersion.lastIndexOf("/")));
  const ours = Object.hasOwn(OURS, group) ? OURS[group] : undefined;
  if (wanted === undefined) {
    const near = ours !== undefined && kind !== "EnvoyConfigRevision" ? suggest(kind, ours) : undefined;
    if (near === undefined) return { other: written(kind, value, usual) };
    return { findings: [problem(["kind"], "no such kind", { rule: "kind", value: kind, suggestion: near })] };
  }
  if (apiVersion !== wanted) {
    // Somebody else's kind of the same name is nothing of ours; a version of ours that is not known is a mistake.
    if (apiVersion.split("/")[0] !== wanted.split("/")[0] && kind !== "EnvoyConfig") {
      return { other: written(kind, value, usual) };
    }
    const message = `apiVersion of ${kind} must be ${JSON.stringify(wanted)}`;
    return {
      findings: [problem(["apiVersion"], message, { rule: "api-version", value: apiVersion, suggestion: wanted })],
    };
  }
  return { object: written(kind, value, usual) };
}

function written(
  kind: string,
  value: Readonly<Record<string, unknown>>,
  usual: string,
): Omit<FileObject, "positionOf"> {
  const { name, namespace } = isRecord(value["metadata"]) ? value["metadata"] : {};
  return {
    kind,
    namespace: typeof namespace === "string" && namespace !== "" ? namespace : usual,
    name: typeof name === "string" ? name : "",
    value,
  };
}

function problem(path: readonly PathSegment[], message: string, more: Partial<Finding> = {}): Finding {
  return { severity: "error", path, message, rule: "object", ...more };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
