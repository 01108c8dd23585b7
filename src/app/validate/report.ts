import type { Finding } from "../../base/mod.ts";

/** Something to tell, and of which object. */
export interface ReportedFinding extends Finding {
  /** The file, also where no line is known. */
  readonly file: string;
  readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
}

/** Outcome of {@linkcode validate}. */
export interface ValidateReport {
  /** Files in the order of the paths, findings in the order of the file. */
  readonly findings: readonly ReportedFinding[];
  /** Findings that were counted and not kept, since there are so many. */
  readonly omitted: number;
  readonly errors: number;
  readonly warnings: number;
  /** Files whose content was looked at. */
  readonly files: number;
  /** What could not be read. */
  readonly unreadable: readonly { readonly file: string; readonly problem: string }[];
  /** Objects that were looked at, per kind. */
  readonly objects: Readonly<Record<string, number>>;
  /** Objects of other kinds, per kind. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Most findings that are kept: who has more will not read them at once. */
const MAX_FINDINGS = 10_000;

/** Gathers what a run finds. */
export class ReportBuilder {
  readonly #findings: ReportedFinding[] = [];
  readonly #order = new Map<string, number>();
  readonly #unreadable: { file: string; problem: string }[] = [];
  readonly #objects = new Map<string, number>();
  readonly #skipped = new Map<string, number>();
  #errors = 0;
  #warnings = 0;
  #omitted = 0;

  /** Whether another finding would only be counted. */
  get full(): boolean {
    return this.#findings.length >= MAX_FINDINGS;
  }

  file(name: string): void {
    this.#order.set(name, this.#order.size);
  }

  unreadable(file: string, problem: string): void {
    this.#unreadable.push({ file, problem });
  }

  object(kind: string): void {
    this.#objects.set(kind, (this.#objects.get(kind) ?? 0) + 1);
  }

  skipped(kind: string): void {
    this.#skipped.set(kind, (this.#skipped.get(kind) ?? 0) + 1);
  }

  add(finding: ReportedFinding): void {
    if (finding.severity === "error") this.#errors++;
    else this.#warnings++;
    if (this.full) this.#omitted++;
    else this.#findings.push(finding);
  }

  done(): ValidateReport {
    const rank = (finding: ReportedFinding) => this.#order.get(finding.file) ?? 0;
    const place = ({ source }: ReportedFinding) => [source?.line ?? 0, source?.column ?? 0] as const;
    const findings = this.#findings.toSorted((a, b) => {
      const [lineA, columnA] = place(a);
      const [lineB, columnB] = place(b);
      return rank(a) - rank(b) || lineA - lineB || columnA - columnB;
    });
    return {
      findings,
      omitted: this.#omitted,
      errors: this.#errors,
      warnings: this.#warnings,
      files: this.#order.size,
      unreadable: this.#unreadable,
      objects: sorted(this.#objects),
      skipped: sorted(this.#skipped),
    };
  }
}

function sorted(counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].sort(([a], [b]) => a < b ? -1 : 1));
}
