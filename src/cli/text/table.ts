import { clean } from "./clean.ts";
import type { Paint, Style } from "./paint.ts";

/** One cell; a text alone has no style. An empty one is shown as `-`. */
export type Cell = string | { readonly text: string; readonly style?: Style | undefined };

/** Lines in columns as kubectl shows them: the first is the header, then one per row. */
export function tableLines(header: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const plain = [[...header], ...rows.map((row) => row.map(textOf))];
  const widths = header.map((_, column) => Math.max(...plain.map((row) => (row[column] ?? "").length)));
  return plain.map((row, index) => {
    const cells = row.map((text, column) => {
      const cell = index === 0 ? undefined : rows[index - 1]?.[column];
      const style = index === 0 ? "bold" : typeof cell === "object" ? cell.style : undefined;
      const padding = column === row.length - 1 ? "" : " ".repeat((widths[column] ?? 0) - text.length + 3);
      return paint(style, text) + padding;
    });
    return cells.join("");
  });
}

function textOf(cell: Cell): string {
  return clean(typeof cell === "string" ? cell : cell.text) || "-";
}
