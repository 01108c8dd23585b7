import { structuredPatch } from "diff";
import type { Json } from "../../base/mod.ts";
import { nameOf } from "../source/names.ts";
import { clean } from "../text/clean.ts";
import type { Paint } from "../text/paint.ts";
import type { Change } from "./compare.ts";
import type { DiffItem } from "./report.ts";

/** More than that is no longer compared line by line. */
const PATIENCE_MS = 2_000;

/** What {@linkcode diffText} needs. */
export interface DiffTextOptions {
  readonly paint: Paint;
  readonly toYaml: (value: Json) => string;
}

/** The changes of one EnvoyConfig as unified YAML, and a line that counts them. */
export function diffText(item: DiffItem, options: DiffTextOptions): string {
  const { paint } = options;
  const lines = item.changes.flatMap((change) => changeLines(change, { ...options, item }));
  const { changes, same, unknown, publication, fileVersion } = item;
  const count = (kind: Change["change"]) => changes.filter(({ change }) => change === kind).length;
  const counts = (["changed", "added", "removed"] as const).flatMap((kind) =>
    count(kind) > 0 ? [`${count(kind)} ${kind}`] : []
  );
  for (const note of item.notes) lines.push(`${paint("yellow", "note")}: ${clean(note)}`);
  for (const { type, name, why, side } of unknown) {
    const where = side === "file" ? "among the files" : "of what is served";
    lines.push(`${paint("yellow", "not compared")}: ${type} ${clean(JSON.stringify(name))} (${where}: ${clean(why)})`);
  }
  const verdict = counts.length === 0 ? paint("green", "no difference") : paint("yellow", counts.join(", "));
  const versions = `served ${publication ?? "nothing"}, file ${fileVersion}`;
  lines.push(`${paint("bold", clean(nameOf(item)))}: ${verdict}${same > 0 ? `, ${same} the same` : ""} (${versions})`);
  return lines.map((line) => `${line}\n`).join("");
}

function changeLines(
  { type, name, change, redacted, before, after }: Change,
  { item, paint, toYaml }: DiffTextOptions & { item: DiffItem },
): string[] {
  const what = `${type} ${name}`;
  const left = change === "added" ? "/dev/null" : `served ${nameOf(item)} ${what}`;
  const right = change === "removed" ? "/dev/null" : `${item.file} ${nameOf(item)} ${what}`;
  const header = [paint("bold", clean(`--- ${left}`)), paint("bold", clean(`+++ ${right}`))];
  if (redacted) return [...header, paint("yellow", "@@ what is secret differs, and is not shown @@")];
  const texts = [change === "added" ? "" : toYaml(before), change === "removed" ? "" : toYaml(after)] as const;
  const patch = structuredPatch(left, right, ...texts, undefined, undefined, { context: 3, timeout: PATIENCE_MS });
  if (!patch) return [...header, paint("yellow", "@@ too different to be compared line by line; see -o json @@")];
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    // A side without lines counts from 0, as in every unified diff.
    paint("cyan", `@@ -${oldLines && oldStart},${oldLines} +${newLines && newStart},${newLines} @@`),
    ...lines.map((line) => paint(STYLES[line[0] ?? ""], `${line.slice(0, 1)}${clean(line.slice(1))}`)),
  ]);
  return [...header, ...hunks];
}

const STYLES: Readonly<Record<string, "green" | "red">> = { "+": "green", "-": "red" };
