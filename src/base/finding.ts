/** `error` keeps an object from being served; `warning` is legal but likely wrong. */
export type Severity = "error" | "warning";

/** A place in a file; line and column count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One step of a path: a field name or an index. */
export type PathSegment = string | number;

/** Something to tell the author of an object, as precisely as it is known. */
export interface Finding {
  readonly severity: Severity;
  /** Where in the object; empty for the object as a whole. */
  readonly path: readonly PathSegment[];
  /** One sentence without a full stop. */
  readonly message: string;
  /** Short stable name of the violated rule, e.g. `unknown-field`, `string.min_len`. */
  readonly rule?: string;
  /** The offending value as shown to people, already shortened. Never set for sensitive fields. */
  readonly value?: string;
  /** A near correct spelling. */
  readonly suggestion?: string;
  readonly source?: SourcePosition;
}

/** `spec.resources[2].value["a b"]`: fields that are no identifiers are quoted. */
export function formatPath(path: readonly PathSegment[]): string {
  let out = "";
  for (const segment of path) {
    if (typeof segment === "number") out += `[${segment}]`;
    else if (!/^[\w@/-]+$/.test(segment)) out += `[${JSON.stringify(segment)}]`;
    else out += out === "" ? segment : `.${segment}`;
  }
  return out;
}

/** `file:line:column: error: path: message, did you mean "x"?` – parts that are unknown are left out. */
export function formatFinding(finding: Finding): string {
  const { source, path, severity, message, suggestion } = finding;
  const where = source ? `${source.file}:${source.line}:${source.column}: ` : "";
  const field = path.length > 0 ? `${formatPath(path)}: ` : "";
  const hint = suggestion === undefined ? "" : `, did you mean ${JSON.stringify(suggestion)}?`;
  return `${where}${severity}: ${field}${message}${hint}`;
}

/** Whether any finding keeps the object from being served. */
export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some((f) => f.severity === "error");
}
