import { structuredPatch } from "diff";
import type { Plan, Present, Step } from "../../agent/loader/mod.ts";
import { formatFinding } from "../../base/mod.ts";
import { clean } from "../text/clean.ts";

/** More than that is no longer compared line by line. */
const PATIENCE_MS = 2_000;

/** What a plan would change, in the order in which it would happen, as unified diffs. What is secret is not shown. */
export function changesText({ steps, held }: Plan, { files }: Present): string {
  const lines = steps.flatMap((step) => changeLines(step, files.get(step.path)));
  for (const { path, keeps, owners, findings } of held) {
    const outcome = keeps ? "the one in place stays" : "there is none in place";
    lines.push(`# ${path} (${owners.join(", ")}) is not fit for Envoy; ${outcome}`);
    lines.push(...findings.map((finding) => `#   ${formatFinding(finding)}`));
  }
  if (lines.length === 0) lines.push("# nothing would change");
  return lines.map((line) => `${clean(line)}\n`).join("");
}

function changeLines(step: Step, before: Uint8Array | undefined): string[] {
  const left = before ? `in place ${step.path}` : "/dev/null";
  const right = step.do === "remove" ? "/dev/null" : `wanted ${step.path}`;
  const header = [`--- ${left}`, `+++ ${right}`];
  if (step.kind === "SDS" || (step.do === "write" && step.secret)) {
    return [...header, "@@ what is secret differs, and is not shown @@"];
  }
  const old = textOf(before);
  const now = step.do === "remove" ? "" : textOf(step.bytes);
  if (old === undefined || now === undefined) return [...header, "@@ binary files differ @@"];
  const patch = structuredPatch(left, right, old, now, undefined, undefined, { context: 3, timeout: PATIENCE_MS });
  if (!patch) return [...header, "@@ too different to be compared line by line @@"];
  const hunks = patch.hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines }) => [
    // A side without lines counts from 0, as in every unified diff.
    `@@ -${oldLines && oldStart},${oldLines} +${newLines && newStart},${newLines} @@`,
    ...lines,
  ]);
  return [...header, ...hunks];
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
