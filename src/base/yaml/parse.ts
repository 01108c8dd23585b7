import type { Document } from "yaml";
import type { Finding, PathSegment, SourcePosition } from "../finding.ts";
import { Builder, offsetOf } from "./build.ts";
import { composeDocuments } from "./compose.ts";
import { DEFAULT_YAML_LIMITS, type YamlLimits } from "./limits.ts";
import { Lines } from "./lines.ts";
import { locate } from "./locate.ts";
import { quickRead } from "./quick.ts";
import { isHarmless, syntaxErrorMessage } from "./syntax_error.ts";

/** One document of a file: a JSON value that knows where each of its parts was written. */
export interface ParsedDocument {
  /** Plain JSON: records, arrays, strings, finite numbers, booleans, null. Aliased parts are shared; do not change it. */
  readonly value: unknown;
  /** Number of the document among those that are not empty, from 0. */
  readonly index: number;
  /** The line on which its content starts, from 1. */
  readonly line: number;
  /**
   * Where a part was written: the key for a field, the item for a list entry. When the path does not exist, its nearest
   * ancestor that does. The tree is not kept in memory: asking parses the text again when it was collected meanwhile.
   */
  positionOf(path: readonly PathSegment[]): SourcePosition | undefined;
}

/** Outcome of {@linkcode parseYaml}. */
export interface ParsedYaml {
  /** The documents without errors, in the order of the file; empty ones are left out. */
  readonly documents: ParsedDocument[];
  /** Faults and warnings with their places, in the order of the file. */
  readonly findings: Finding[];
}

/**
 * Reads YAML (or JSON) in the dialect of Kubernetes, several documents per text. Whatever the text is, this neither throws
 * nor hangs: faults, duplicate keys, alias bombs and texts beyond the limits are findings. No finding quotes a value.
 */
export function parseYaml(text: string, file: string, limits: Partial<YamlLimits> = {}): ParsedYaml {
  const bounds = { ...DEFAULT_YAML_LIMITS, ...limits };
  const quick = quickRead(text, bounds);
  return quick ? quickResult(quick, { text, file, bounds }) : parseFully(text, { file, bounds });
}

/** Values by the quick way; places by the full one, when they are asked for. */
function quickResult(
  quick: readonly { value: unknown; offset: number }[],
  { text, file, bounds }: { text: string; file: string; bounds: YamlLimits },
): ParsedYaml {
  const lines = new Lines(file, text);
  let full: WeakRef<ParsedYaml> | undefined;
  const fullDocument = (index: number) => {
    let parsed = full?.deref();
    if (!parsed) full = new WeakRef(parsed = parseFully(text, { file, bounds }));
    return parsed.documents[index];
  };
  const documents = quick.map(({ value, offset }, index) => ({
    value,
    index,
    line: lines.at(offset).line,
    positionOf: (path: readonly PathSegment[]) => fullDocument(index)?.positionOf(path),
  }));
  return { documents, findings: [] };
}

/** By the library that knows trees, places and all that can be wrong. */
export function parseFully(text: string, { file, bounds }: { file: string; bounds: YamlLimits }): ParsedYaml {
  const lines = new Lines(file, text);
  const source = new Source(text, bounds);
  const documents: ParsedDocument[] = [];
  const findings: Finding[] = [];
  const tell = (offset: number, finding: Omit<Finding, "source">) => {
    if (findings.length < bounds.maxFindings) findings.push({ ...finding, source: lines.at(offset) });
    return finding.severity === "error";
  };
  if (text.length > bounds.maxCharacters) {
    const message = `the text has ${text.length} characters, ${bounds.maxCharacters} are allowed`;
    tell(0, { severity: "error", path: [], message, rule: "too-long" });
    return { documents, findings };
  }
  let ordinal = -1;
  for (const composed of composeDocuments(text, bounds)) {
    if ("stop" in composed) {
      const { offset, rule, message } = composed.stop;
      tell(offset, { severity: "error", path: [], message, rule });
      break;
    }
    ordinal++;
    const { document } = composed;
    const { value, broken } = readDocument(document, { text, limits: bounds, tell });
    if (broken || value === null) continue;
    const nth = ordinal;
    source.remember(nth, document);
    documents.push({
      value,
      index: documents.length,
      line: lines.at(offsetOf(document.contents)).line,
      positionOf: (path) => lines.at(locate(source.contents(nth), path)),
    });
  }
  return { documents, findings };
}

type Tell = (offset: number, finding: Omit<Finding, "source">) => boolean;

interface Reading {
  readonly text: string;
  readonly limits: YamlLimits;
  readonly tell: Tell;
}

function readDocument(document: Document, { text, limits, tell }: Reading): { value: unknown; broken: boolean } {
  let broken = false;
  for (const error of document.errors) {
    const message = syntaxErrorMessage(error.code, error.message);
    const severity = isHarmless(error.code, error.message) ? "warning" : "error";
    broken = tell(error.pos[0], { severity, path: [], message, rule: "syntax" }) || broken;
  }
  if (broken) return { value: null, broken };
  const builder = new Builder(text, limits.maxExpansion);
  const value = builder.build(document.contents);
  for (const { offset, ...finding } of builder.complaints) broken = tell(offset, finding) || broken;
  return { value, broken };
}

/** The text, and its trees as long as nobody else needs the memory. */
class Source {
  readonly #text: string;
  readonly #limits: YamlLimits;
  readonly #trees = new Map<number, WeakRef<Document>>();

  constructor(text: string, limits: YamlLimits) {
    this.#text = text;
    this.#limits = limits;
  }

  remember(nth: number, document: Document): void {
    this.#trees.set(nth, new WeakRef(document));
  }

  contents(nth: number): unknown {
    const known = this.#trees.get(nth)?.deref();
    if (known) return known.contents;
    let ordinal = -1;
    for (const composed of composeDocuments(this.#text, this.#limits)) {
      if (!("document" in composed)) break;
      ordinal++;
      if (ordinal !== nth) continue;
      this.remember(nth, composed.document);
      return composed.document.contents;
    }
    return undefined;
  }
}
