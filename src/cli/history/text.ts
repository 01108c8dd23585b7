import { age } from "../text/age.ts";
import { clean } from "../text/clean.ts";
import type { Paint } from "../text/paint.ts";
import { type Cell, tableLines } from "../text/table.ts";
import type { HistoryItem, HistoryReport } from "./report.ts";

const COLUMNS = ["VERSION", "CREATED", "LAST PUBLISHED", "CLIENTS", "STATE"];

/** The revisions, the newest last, with what Envoys said of those that they refused. */
export function historyText(report: HistoryReport, { wide, paint }: { wide: boolean; paint: Paint }): string {
  const { items, now } = report;
  const columns = wide ? [...COLUMNS, "REVISION"] : COLUMNS;
  const [header = "", ...rows] = tableLines(columns, items.map((item) => cellsOf(item, { wide, now })), paint);
  const lines = [header];
  for (const [index, { tainted, next }] of items.entries()) {
    lines.push(rows[index] ?? "");
    if (tainted) lines.push(`  ${paint("red", "error")}: ${clean(tainted.message)}`);
    if (next) lines.push(`  ${paint("cyan", "Next:")} ${clean(next)}`);
  }
  return lines.map((line) => `${line}\n`).join("");
}

function cellsOf(item: HistoryItem, { wide, now }: { wide: boolean; now: string }): Cell[] {
  const { version, createdAt, lastPublishedAt, clients, revision } = item;
  const cells: Cell[] = [
    version,
    age(createdAt, now),
    lastPublishedAt === null ? "never" : age(lastPublishedAt, now),
    clients ? `${clients.accepted}/${clients.connected}` : "",
    { text: marksOf(item), style: item.tainted ? "red" : item.published ? "green" : undefined },
  ];
  return wide ? [...cells, revision] : cells;
}

function marksOf({ desired, published, acknowledged, pinned, tainted }: HistoryItem): string {
  return [
    ...(desired ? ["desired"] : []),
    ...(published ? ["published"] : []),
    ...(acknowledged ? ["acknowledged"] : []),
    ...(pinned ? ["pinned"] : []),
    ...(tainted ? ["tainted"] : []),
  ].join(",");
}
