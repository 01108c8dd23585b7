import { age } from "../text/age.ts";
import { clean } from "../text/clean.ts";
import type { Paint, Style } from "../text/paint.ts";
import { type Cell, tableLines } from "../text/table.ts";
import type { CertItem, CertsReport, ChainLink } from "./report.ts";

const COLUMNS = ["NAME", "TYPE", "ISSUER", "NOT AFTER", "LEFT", "STATE", "ROTATION"];
const WIDE_COLUMNS = ["SECRET", "FINGERPRINT", "TRUSTED", "RENEWAL", "NAMES"];
/** As much of a fingerprint as tells certificates apart. */
const SHOWN = 16;

/** The table, with what is wrong below each line. */
export function certsText(
  { items, now }: CertsReport,
  { wide, details, paint }: { wide: boolean; details: boolean; paint: Paint },
): string {
  if (items.length === 0) return "";
  const byNode = items.some(({ nodeId }) => nodeId !== null);
  const columns = [...COLUMNS, ...(byNode ? ["NODE ID"] : []), ...(wide ? WIDE_COLUMNS : [])];
  const [header = "", ...rows] = tableLines(columns, items.map((item) => cellsOf(item, { wide, byNode, now })), paint);
  const lines = [header];
  for (const [index, { chain, bundle, problems }] of items.entries()) {
    lines.push(rows[index] ?? "");
    if (details) {
      lines.push(...linkLines("chain", chain ?? [], now), ...linkLines("bundle", bundle?.certificates ?? [], now));
    }
    for (const { severity, message } of problems) {
      lines.push(`  ${paint(severity === "error" ? "red" : "yellow", severity)}: ${clean(message)}`);
    }
    for (const next of new Set(problems.map((one) => one.next).filter(Boolean))) {
      lines.push(`  ${paint("cyan", "Next:")} ${clean(next)}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** One line for each certificate, below each other. */
function linkLines(title: string, links: readonly ChainLink[], now: string): string[] {
  const width = Math.max(0, ...links.map(({ commonName }) => clean(commonName).length));
  return links.map(({ commonName, fingerprint, notAfter, secondsLeft }, index) => {
    const head = (index === 0 ? `${title}:` : "").padEnd("bundle: ".length);
    const left = secondsLeft <= 0 ? "has ended" : `in ${age(now, notAfter)}`;
    return `  ${head}${fingerprint.slice(0, SHOWN)}  ${clean(commonName).padEnd(width)}  ends ${notAfter}, ${left}`;
  });
}

function cellsOf(
  item: CertItem,
  { wide, byNode, now }: { wide: boolean; byNode: boolean; now: string },
): Cell[] {
  const { namespace, name, type, issuer, notAfter, secondsLeft, state, rotation } = item;
  const cells: Cell[] = [
    `${namespace}/${name}`,
    type,
    issuer ?? "",
    notAfter ?? "",
    notAfter === null || secondsLeft === null ? "" : secondsLeft <= 0 ? "none" : age(now, notAfter),
    { text: state, style: styleOf(item) },
    rotation ? `${rotation.phase} ${age(rotation.since, now)}` : "",
    ...(byNode ? [item.nodeId ?? ""] : []),
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
