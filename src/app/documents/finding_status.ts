import { formatPath } from "../../base/mod.ts";
import type { OpenFinding } from "../../telemetry/mod.ts";

/** Something to mend. */
export interface FindingStatus {
  readonly severity: "error" | "warning";
  readonly about: string;
  readonly path: string;
  readonly message: string;
  readonly rule?: string;
  readonly suggestion?: string;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
}

/** A finding as documents show it. */
export function findingStatus({ about, finding }: OpenFinding): FindingStatus {
  const { severity, path, message, rule, suggestion, source } = finding;
  return {
    severity,
    about,
    path: formatPath(path),
    message,
    ...(rule !== undefined && { rule }),
    ...(suggestion !== undefined && { suggestion }),
    ...source,
  };
}
