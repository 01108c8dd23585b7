import { nameOf } from "../../source/names.ts";
import { age } from "../../text/age.ts";
import type { Paint, Style } from "../../text/paint.ts";
import { type Cell, tableLines } from "../../text/table.ts";
import { problemLines } from "../text.ts";
import type { PodItem, PodsReport } from "./report.ts";

const COLUMNS = ["NAME", "ROLE", "STATE", "OLD", "OWNER", "AGE"];
const WIDE_COLUMNS = ["NODE ID", "ENVOY", "CHANCERY"];

/** How the table is to look. */
export interface PodsTextOptions {
  readonly wide: boolean;
  readonly paint: Paint;
  /** Rows to show of all that the columns are made for; all, with the header, when absent. */
  readonly only?: ReadonlySet<PodItem>;
}

/** The table, with what is wrong below each line; what is the same for the next one is told there. */
export function podsText({ items, now }: PodsReport, { wide, paint, only }: PodsTextOptions): string {
  const columns = wide ? [...COLUMNS, ...WIDE_COLUMNS] : COLUMNS;
  const [header = "", ...rows] = tableLines(columns, items.map((item) => cellsOf(item, { wide, now })), paint);
  const shown = items.flatMap((item, index) =>
    only && !only.has(item) ? [] : [{ row: rows[index] ?? "", below: problemLines(item.problems, paint) }]
  );
  const lines = shown.flatMap(({ row, below }, index) => {
    const same = below.join("\n") === shown[index + 1]?.below.join("\n");
    return same ? [row] : [row, ...below];
  });
  return [...(only || items.length === 0 ? [] : [header]), ...lines].map((line) => `${line}\n`).join("");
}

function cellsOf(item: PodItem, { wide, now }: { wide: boolean; now: string }): Cell[] {
  const { role, state, old, owner, createdAt, nodeId, envoyImage, image } = item;
  const cells: Cell[] = [
    nameOf(item),
    role,
    { text: state, style: styleOf(item) },
    old.join(","),
    owner ? `${owner.kind.toLowerCase()}/${owner.name}` : "",
    createdAt === null ? "" : age(createdAt, now),
  ];
  return wide ? [...cells, nodeId ?? "", envoyImage ?? "", image ?? ""] : cells;
}

function styleOf({ state, problems }: PodItem): Style {
  if (problems.some(({ severity }) => severity === "error")) return "red";
  return state === "Current" ? "green" : state === "Ending" ? "dim" : "yellow";
}
