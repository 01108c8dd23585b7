import { age } from "../text/age.ts";
import { clean } from "../text/clean.ts";
import type { Paint, Style } from "../text/paint.ts";
import { type Cell, tableLines } from "../text/table.ts";
import type { CertItem, CertsReport } from "./report.ts";

const COLUMNS = ["NAME", "TYPE", "ISSUER", "NOT AFTER", "LEFT", "STATE", "ROTATION"];
const WIDE_COLUMNS = ["SECRET", "FINGERPRINT", "TRUSTED", "RENEWAL", "NAMES"];
/** As much of a fingerprint as tells certificates apart. */
const SHOWN = 16;

/** The table, with what is wrong below each line. */
export function certsText({ items, now }: CertsReport, { wide, paint }: { wide: boolean; paint: Paint }): string {
  if (items.length === 0) return "";
  const columns = wide ? [...COLUMNS, ...WIDE_COLUMNS] : COLUMNS;
  const [header = "", ...rows] = tableLines(columns, items.map((item) => cellsOf(item, { wide, now })), paint);
  const lines = [header];
  for (const [index, { problems }] of items.entries()) {
    lines.push(rows[index] ?? "");
    for (const { severity, message } of problems) {
      lines.push(`  ${paint(severity === "error" ? "red" : "yellow", severity)}: ${clean(message)}`);
    }
    for (const next of new Set(problems.map((one) => one.next).filter(Boolean))) {
      lines.push(`  ${paint("cyan", "Next:")} ${clean(next)}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function cellsOf(item: CertItem, { wide, now }: { wide: boolean; now: string }): Cell[] {
  const { namespace, name, type, issuer, notAfter, secondsLeft, state, rotation } = item;
  const cells: Cell[] = [
    `${namespace}/${name}`,
    type,
    issuer ?? "",
    notAfter ?? "",
    notAfter === null || secondsLeft === null ? "" : secondsLeft <= 0 ? "none" : age(now, notAfter),
    { text: state, style: styleOf(item) },
    rotation ? `${rotation.phase} ${age(rotation.since, now)}` : "",
  ];
  if (!wide) return cells;
  const { secret, fingerprint, trusted, renewal, names } = item;
  return [
    ...cells,
    secret,
    fingerprint?.slice(0, SHOWN) ?? "",
    (trusted ?? []).map((one) => one.slice(0, SHOWN)).join(","),
    renewal ? "on" : "off",
    names.join(","),
  ];
}

function styleOf({ state, problems }: CertItem): Style {
  if (state !== "Ready" || problems.some(({ severity }) => severity === "error")) return "red";
  return problems.length > 0 ? "yellow" : "green";
}
