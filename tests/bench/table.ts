import { MEASURES, type Row } from "./measures.ts";

/** The result as people read it: ratios and targets; `absolute` adds what they were made of. */
export function tableOf(
  rows: readonly Row[],
  titles: ReadonlyMap<string, string>,
  options: { absolute: boolean },
): string {
  const header = ["", "ratio", "target", "", ...(options.absolute ? ["chancery", "go-control-plane"] : [])];
  const lines: string[][] = [header];
  let scenario = "";
  for (const row of rows) {
    if (row.scenario !== scenario) lines.push([titles.get(row.scenario) ?? row.scenario]);
    scenario = row.scenario;
    lines.push(cellsOf(row, options.absolute));
  }
  const widths = header.map((_, column) =>
    Math.max(...lines.filter((line) => line.length > 1).map((line) => (line[column] ?? "").length))
  );
  return lines.map((line) =>
    line.length === 1 ? `\n${line[0]}` : line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd()
  ).join("\n");
}

function cellsOf(row: Row, absolute: boolean): string[] {
  const { reading, unit } = MEASURES[row.measure];
  const ratio = row.ratio === undefined
    ? "–"
    : reading === "faster"
    ? speed(row.ratio)
    : reading === "share"
    ? `${number(row.ratio)} of its`
    : `${row.ratio}`;
  const target = row.target === undefined ? "" : reading === "faster" ? `≥ ${row.target}×` : `≤ ${number(row.target)}`;
  return [
    `  ${row.text}`,
    ratio,
    target,
    verdictOf(row),
    ...(absolute ? [quantity(row.chancery, unit), quantity(row.goControlPlane, unit)] : []),
  ];
}

function verdictOf(row: Row): string {
  if (row.met === undefined) return "";
  if (row.met) return "met";
  return `missed by ${
    MEASURES[row.measure].reading === "count" ? row.missedBy : `a factor of ${number(row.missedBy ?? 0)}`
  }`;
}

function speed(ratio: number): string {
  return ratio >= 1 ? `${number(ratio)}× faster` : `${number(1 / ratio)}× slower`;
}

function number(value: number): string {
  return value >= 10 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(2);
}

function quantity(value: number, unit: "s" | "B" | ""): string {
  if (unit === "s") return `${value.toFixed(3)} s`;
  if (unit === "") return `${Math.round(value)}`;
  return value >= 1e6 ? `${(value / 1e6).toFixed(0)} MB` : `${(value / 1e3).toFixed(1)} kB`;
}
