import {
  type Finding,
  formatKey,
  type ObjectKey,
  parseKey,
  type PathSegment,
  type SourcePosition,
} from "../../base/mod.ts";
import type { NodeReport } from "../../reconcile/mod.ts";
import type { ServiceReport } from "../../reconcile/virtual_service/mod.ts";
import type { OpenFinding } from "../../telemetry/mod.ts";

/** Where a field of an object stands in a file, if it came from one. */
export type Locate = (key: ObjectKey, path: readonly PathSegment[]) => SourcePosition | undefined;

/** Everything that a look at a node id found, with places in files. */
export function findingsOfNode(report: NodeReport, locate: Locate): readonly OpenFinding[] {
  const { source, nodeId } = report;
  const about = source ? formatKey(source) : `node id ${nodeId}`;
  const own = report.findings.map((finding) => ({
    about,
    finding: source ? located(finding, source, locate) : finding,
  }));
  const conflicts = report.conflicts.map((key): OpenFinding => ({
    about: formatKey(key),
    finding: located(
      {
        severity: "error",
        path: ["spec", "nodeID"],
        rule: "conflict",
        message: `node id ${JSON.stringify(nodeId)} is served from the older ${about}, so this object is not served`,
      },
      key,
      locate,
    ),
  }));
  return [...own, ...conflicts];
}

/** Objects that cannot be used at all. */
export function findingsOfObjects(
  unusable: ReadonlyMap<string, readonly Finding[]>,
  locate: Locate,
): readonly OpenFinding[] {
  return [...unusable].flatMap(([about, findings]) => {
    const key = parseKey(about);
    return findings.map((finding) => ({ about, finding: key ? located(finding, key, locate) : finding }));
  });
}

/** Everything that is known to be wrong with a VirtualService, with places in files. */
export function findingsOfService(
  { key, findings, collisions }: ServiceReport,
  locate: Locate,
): readonly OpenFinding[] {
  const taken = collisions.map(({ index, what, by }): Finding => ({
    severity: "error",
    path: ["spec", "listeners", index],
    rule: "conflict",
    message: `${what} is taken by ${by === undefined ? "an EnvoyConfig" : `VirtualService ${by}`}, ` +
      "so this listener is not served",
  }));
  return [...findings, ...taken].map((finding) => ({ about: formatKey(key), finding: located(finding, key, locate) }));
}

function located(finding: Finding, key: ObjectKey, locate: Locate): Finding {
  if (finding.source) return finding;
  const source = locate(key, finding.path);
  return source ? { ...finding, source } : finding;
}
