import { ChanceryError, type Finding, type ObjectKey, type PathSegment, type SourcePosition } from "../../base/mod.ts";
import { type ParsedDocument, parseYaml } from "../../base/yaml/mod.ts";
import { isRecord, type JsonRecord } from "../core/json.ts";
import { identityFaults, readStated } from "../core/stated.ts";
import type { ApplyObject } from "../store.ts";
import type { ScannedFile } from "./scan.ts";

/** A kind that the directory brings into the store. */
export interface WantedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether its uid and status are what the file says of it, kept as the field `observed`; nobody here would find them out. */
  readonly observed?: true;
}

/** An object as it is written in a file. */
export interface ManifestObject {
  readonly key: ObjectKey;
  readonly object: ApplyObject;
  /** Where a field of the object is written, the nearest that is there otherwise. */
  positionOf(path: readonly PathSegment[]): SourcePosition | undefined;
  /** Faults that keep the object from being stored, whatever its kind: it keeps its last good content. */
  readonly faults: readonly Finding[];
}

/** A file as far as planning is concerned. */
export interface Manifest {
  readonly name: string;
  /** Objects of wanted kinds. Empty for a broken file. */
  readonly objects: readonly ManifestObject[];
  /** Objects whose kind is wanted, but in another API version. */
  readonly strangers: readonly ManifestObject[];
  /** How many documents of other kinds, per kind. */
  readonly skipped: ReadonlyMap<string, number>;
  /** With source positions. */
  readonly findings: readonly Finding[];
  /** The file does not parse or cannot be read: what came from it stays as it was. */
  readonly broken: boolean;
  /** `undefined` when the file cannot be read. */
  readonly text: string | undefined;
}

/** Options of {@linkcode readManifest}. */
export interface ReadOptions {
  /** The file's name as people see it. */
  readonly path: string;
  readonly kinds: readonly WantedKind[];
}

const DEFAULT_NAMESPACE = "default";

/**
 * Reads the objects of a file. A file with one document that does not parse, or is no object at all, is broken as a whole:
 * it may be half written. An empty one is as well: a full disk leaves such files, and who means it can delete the file.
 */
export function readManifest(file: ScannedFile, { path, kinds }: ReadOptions): Manifest {
  const start: SourcePosition = { file: path, line: 1, column: 1 };
  const empty = { name: file.name, objects: [], strangers: [], skipped: new Map<string, number>(), broken: true };
  const broken = (message: string): Manifest => ({
    ...empty,
    text: file.text,
    findings: [{ severity: "error", path: [], message, rule: "file", source: start }],
  });
  if (file.text === undefined) return broken(`the file cannot be read: ${file.problem ?? "reason unknown"}`);
  if (file.text.trim() === "") return broken("the file is empty; delete it to remove its objects");
  const { documents, findings } = parseYaml(file.text, path);
  const sorted = new Sorted(kinds);
  for (const document of documents) sorted.add(document);
  const all = [...findings, ...sorted.findings];
  if (all.some(({ severity }) => severity === "error")) return { ...empty, text: file.text, findings: all };
  const { objects, strangers, skipped } = sorted;
  return { name: file.name, objects, strangers, skipped, findings: all, broken: false, text: file.text };
}

/** The documents of a file, sorted by what is to be done with them. */
class Sorted {
  readonly objects: ManifestObject[] = [];
  readonly strangers: ManifestObject[] = [];
  readonly skipped = new Map<string, number>();
  readonly findings: Finding[] = [];
  readonly #kinds: readonly WantedKind[];

  constructor(kinds: readonly WantedKind[]) {
    this.#kinds = kinds;
  }

  add(document: ParsedDocument): void {
    const { value } = document;
    const items = isRecord(value) && value["apiVersion"] === "v1" && value["kind"] === "List"
      ? value["items"]
      : undefined;
    if (!Array.isArray(items)) return this.#addValue(value, document, []);
    items.forEach((item, index) => this.#addValue(item, document, ["items", index]));
  }

  #addValue(value: unknown, document: ParsedDocument, prefix: readonly PathSegment[]): void {
    const positionOf = (path: readonly PathSegment[]) => document.positionOf([...prefix, ...path]);
    if (isRecord(value) && typeof value["kind"] === "string" && typeof value["apiVersion"] === "string") {
      const { kind } = value;
      if (!this.#kinds.some((wanted) => wanted.kind === kind)) return this.#skip(kind);
    }
    const faults = identityFaults(value);
    if (faults.length > 0 || !isRecord(value)) {
      for (const { path, message } of faults) {
        this.findings.push(located({ severity: "error", path, message, rule: "object" }, positionOf));
      }
      return;
    }
    const wanted = this.#kinds.find(({ kind, apiVersion }) =>
      kind === value["kind"] && apiVersion === value["apiVersion"]
    );
    const object = manifestObject(value, { positionOf, observed: wanted?.observed ?? false });
    if (wanted) this.objects.push(object);
    else this.strangers.push(object);
  }

  #skip(kind: string): void {
    this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + 1);
  }
}

/** Fields that the store gives are left out: a manifest may come from `kubectl get -o yaml`. */
function manifestObject(
  value: JsonRecord,
  { positionOf, observed }: { positionOf: ManifestObject["positionOf"]; observed: boolean },
): ManifestObject {
  const { metadata, status, ...rest } = value;
  const { uid, name, namespace, labels, annotations } = metadata as JsonRecord & { name: string; namespace?: string }; // identityFaults() looked
  const object = {
    ...rest,
    ...(observed && { observed: { ...(uid !== undefined && { uid }), ...(status !== undefined && { status }) } }),
    metadata: {
      name,
      namespace: namespace || DEFAULT_NAMESPACE,
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
    },
  } as ApplyObject; // identityFaults() looked at apiVersion, kind and metadata
  const key = { kind: object.kind, namespace: object.metadata.namespace ?? "", name };
  return { key, object, positionOf, faults: storeFaults(object).map((finding) => located(finding, positionOf)) };
}

/** What the store would refuse is told here, so that one object cannot make the whole transaction fail. */
function storeFaults(object: ApplyObject): Finding[] {
  try {
    readStated(object, undefined);
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ChanceryError)) throw thrown;
    const message = thrown.message.replace(/^Cannot store [^:]*: /, "");
    return [{ severity: "error", path: [], message, rule: "object" }];
  }
}

/** The finding with the position of its path, when it has none. */
export function located<F extends Finding>(finding: F, positionOf: ManifestObject["positionOf"]): F {
  if (finding.source) return finding;
  const source = positionOf(finding.path);
  return source ? { ...finding, source } : finding;
}
