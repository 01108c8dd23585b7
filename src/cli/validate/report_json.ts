import type { ReportedFinding, ValidateReport } from "../../app/validate/mod.ts";
import { formatPath, type PathSegment } from "../../base/mod.ts";

/** One finding of `chancery validate --format json`. Every field is there in every finding; what is not known is null. */
export interface FindingJson {
  readonly severity: "error" | "warning";
  /** Short stable name of the rule, such as `unknown-field` or `string.min_len`. */
  readonly rule: string | null;
  readonly message: string;
  readonly file: string;
  /** From 1. */
  readonly line: number | null;
  readonly column: number | null;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string } | null;
  /** Field names and indexes from the object; empty for the object as a whole. */
  readonly path: readonly PathSegment[];
  /** The same as people write it: `spec.resources[2].value.name`. */
  readonly pathText: string;
  /** The offending value as text, shortened; null where it is no scalar or may be secret. */
  readonly value: string | null;
  /** What was probably meant. */
  readonly suggestion: string | null;
}

/** The whole of `chancery validate --format json`: fields are added here, never removed or given another meaning. */
export interface ReportJson {
  readonly version: 1;
  readonly errors: number;
  readonly warnings: number;
  readonly files: number;
  readonly objects: Readonly<Record<string, number>>;
  readonly skipped: Readonly<Record<string, number>>;
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
  readonly findings: readonly FindingJson[];
  /** Findings that are counted above and not listed, since there are more than 10,000. */
  readonly omitted: number;
}

/** The report as a JSON document. */
export function reportJson(report: ValidateReport): ReportJson {
  const { errors, warnings, files, objects, skipped, unreadable, omitted } = report;
  return {
    version: 1,
    errors,
    warnings,
    files,
    objects,
    skipped,
    unreadable,
    findings: report.findings.map(findingJson),
    omitted,
  };
}

function findingJson(finding: ReportedFinding): FindingJson {
  const { severity, rule = null, message, file, object = null, path, source, value = null, suggestion = null } =
    finding;
  return {
    severity,
    rule,
    message,
    file,
    line: source?.line ?? null,
    column: source?.column ?? null,
    object,
    path,
    pathText: formatPath(path),
    value,
    suggestion,
  };
}
