import type { Finding, PathSegment } from "../../base/mod.ts";

const NAME = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)$/;
const PREFIX = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/**
 * What is likely wrong with labels that pods are selected by. Nothing of it is an error: a pod that has such a label cannot be, so
 * none is selected.
 */
export function checkLabels(labels: Readonly<Record<string, string>>, path: readonly PathSegment[]): Finding[] {
  const entries = Object.entries(labels);
  if (entries.length === 0) return [warning(path, "an empty selector selects no pod")];
  return entries.flatMap(([key, value]) => {
    const findings: Finding[] = [];
    if (!isKey(key)) findings.push(warning([...path, key], "no label can have this name, so that no pod is selected"));
    if (value !== "" && !NAME.test(value)) {
      findings.push(warning([...path, key], "no label can have this value, so that no pod is selected"));
    }
    return findings;
  });
}

function isKey(key: string): boolean {
  const slash = key.lastIndexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  return NAME.test(key.slice(slash + 1)) && (prefix === undefined || (prefix.length <= 253 && PREFIX.test(prefix)));
}

function warning(path: readonly PathSegment[], message: string): Finding {
  return { severity: "warning", path, message, rule: "selector" };
}
