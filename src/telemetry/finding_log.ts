import { type Finding, formatFinding, formatPath } from "../base/mod.ts";
import type { LogFields, Logger } from "./logger.ts";

/** A finding and the object or file it is about. */
export interface OpenFinding {
  /** `EnvoyConfig/demo/shop`, or the path of a file. */
  readonly about: string;
  readonly finding: Finding;
}

/**
 * The findings that are open, by who found them. Each is logged once when it appears and once when it is solved, however
 * often it is found again in between.
 */
export class FindingLog {
  readonly #log: Logger;
  readonly #open = new Map<string, Map<string, OpenFinding>>();

  constructor(log: Logger) {
    this.#log = log;
  }

  /** All that `finder` sees now; what it saw before and nobody sees any more is solved. */
  report(finder: string, findings: readonly OpenFinding[]): void {
    const before = this.#merged();
    const seen = new Map(findings.map((open) => [identityOf(open), open]));
    if (seen.size > 0) this.#open.set(finder, seen);
    else this.#open.delete(finder);
    const now = this.#merged();
    for (const [identity, open] of now) {
      if (before.has(identity)) continue;
      const say = open.finding.severity === "error" ? "error" : "warn";
      this.#log[say](formatFinding(open.finding), fieldsOf(open));
    }
    for (const [identity, open] of before) {
      if (!now.has(identity)) this.#log.info(`Solved: ${formatFinding(open.finding)}`, fieldsOf(open));
    }
  }

  /** What is open, errors first, then by place. What several saw is one finding. */
  open(): readonly OpenFinding[] {
    return [...this.#merged().values()].sort((a, b) => compare(orderOf(a), orderOf(b)));
  }

  #merged(): Map<string, OpenFinding> {
    const merged = new Map<string, OpenFinding>();
    for (const seen of this.#open.values()) {
      for (const [identity, open] of seen) {
        if (!merged.get(identity)?.finding.source) merged.set(identity, open); // the one that knows the place
      }
    }
    return merged;
  }
}

/** Lines move when something above is edited: the same mistake is the same finding. */
function identityOf({ about, finding }: OpenFinding): string {
  return JSON.stringify([about, finding.severity, finding.rule, formatPath(finding.path), finding.message]);
}

function fieldsOf({ about, finding }: OpenFinding): LogFields {
  return { about, rule: finding.rule };
}

function orderOf({ about, finding }: OpenFinding): readonly (string | number)[] {
  const { source } = finding;
  return [finding.severity, source?.file ?? "", source?.line ?? 0, source?.column ?? 0, about, finding.message];
}

function compare(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (const [i, left] of a.entries()) {
    const right = b[i]!; // both have the same length
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
