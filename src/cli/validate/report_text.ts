import type { ReportedFinding, ValidateReport } from "../../app/validate/mod.ts";
import { formatPath } from "../../base/mod.ts";
import { clean, shellWord } from "../text/clean.ts";
import { type Paint, painter } from "../text/paint.ts";

/** How the report is to look. */
export interface TextOptions {
  readonly color: boolean;
  /** Whether warnings make the run fail, which the last line then says. */
  readonly strict: boolean;
  /** What the user typed after the command, for the next one. */
  readonly paths: readonly string[];
}

/** The report for people: a line per finding, a line of counts, and the next command where there is something to do. */
export function reportText(report: ValidateReport, options: TextOptions): string {
  const paint = painter(options.color);
  const lines = report.findings.map((finding) => findingLine(finding, paint));
  if (report.omitted > 0) lines.push(`${report.omitted} more findings are not shown`);
  for (const { file, problem } of report.unreadable) {
    lines.push(`${paint("bold", file)}: ${paint("red", "cannot read")}: ${clean(problem)}`);
  }
  lines.push(summary(report, paint));
  const next = nextCommand(report, options);
  if (next) lines.push(next);
  return lines.map((line) => `${line}\n`).join("");
}

function findingLine(
  { file, source, severity, path, message, value, suggestion }: ReportedFinding,
  paint: Paint,
): string {
  const place = source ? `${source.file}:${source.line}:${source.column}` : file;
  const field = path.length > 0 ? ` ${paint("cyan", clean(formatPath(path)))}:` : "";
  const shown = value === undefined || tells(message, value) ? "" : `, found ${clean(value)}`;
  const hint = suggestion === undefined ? "" : `, did you mean ${JSON.stringify(suggestion)}?`;
  const mark = paint(severity === "error" ? "red" : "yellow", severity);
  return `${paint("bold", clean(place))}: ${mark}:${field} ${clean(message)}${shown}${hint}`;
}

/** Whether a message quotes the value, as a whole or as much of it as was kept. */
function tells(message: string, value: string): boolean {
  const start = value.replace(/(\.\.\.|…)$/, "");
  return message.includes(start) || message.includes(JSON.stringify(start).slice(1, -1));
}

function summary(report: ValidateReport, paint: Paint): string {
  const { errors, warnings, files, objects, skipped } = report;
  const found = errors + warnings === 0 ? paint("green", "no findings") : [
    ...(errors > 0 ? [paint("red", count(errors, "error"))] : []),
    ...(warnings > 0 ? [paint("yellow", count(warnings, "warning"))] : []),
  ].join(" and ");
  const seen = Object.entries(objects).map(([kind, number]) => count(number, kind));
  const where = seen.length > 0 ? `${seen.join(", ")} of ${count(files, "file")}` : count(files, "file");
  const others = Object.entries(skipped);
  const total = others.reduce((sum, [, number]) => sum + number, 0);
  const left = total === 0
    ? ""
    : `; skipped ${count(total, "object")} of other kinds (${
      others.map(([kind, n]) => `${clean(kind)} ${n}`).join(", ")
    })`;
  return `${found} in ${where}${left}`;
}

function nextCommand(
  { errors, warnings, unreadable }: ValidateReport,
  { strict, paths }: TextOptions,
): string | undefined {
  const failed = errors > 0 || unreadable.length > 0 || (strict && warnings > 0);
  if (!failed) return undefined;
  const words = paths.map(shellWord);
  return `Next: mend the lines above, then: chancery validate ${strict ? "--strict " : ""}${words.join(" ")}`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}
