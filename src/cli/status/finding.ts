import type { FindingStatus } from "../../app/documents/mod.ts";

/** One finding in `chancery status -o json`. Every field is there in every finding; what is not known is null. */
export interface StatusFinding {
  readonly severity: "error" | "warning";
  /** A file or directory, or `KIND/NAMESPACE/NAME`. */
  readonly about: string;
  /** Where in the object: `spec.resources[2].value.name`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** Short stable name of the rule, such as `unknown-field` or `string.min_len`. */
  readonly rule: string | null;
  /** What was probably meant. */
  readonly suggestion: string | null;
  readonly file: string | null;
  /** From 1. */
  readonly line: number | null;
  readonly column: number | null;
}

/** A finding with every field. */
export function statusFinding(finding: FindingStatus): StatusFinding {
  const { severity, about, path, message, rule = null, suggestion = null } = finding;
  const { file = null, line = null, column = null } = finding;
  return { severity, about, path, message, rule, suggestion, file, line, column };
}
