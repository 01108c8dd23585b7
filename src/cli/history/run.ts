import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { readName } from "../source/names.ts";
import { findHistory } from "../source/find_history.ts";
import type { Source } from "../source/source.ts";
import { commandsOf } from "../status/next.ts";
import { painter } from "../text/paint.ts";
import { historyReport } from "./report.ts";
import { historyText } from "./text.ts";

/** What `chancery history` is told. */
export interface HistoryValues {
  readonly namespace: string | undefined;
  readonly output: "text" | "wide" | "json" | "yaml" | "name";
}

/** Runs `chancery history`. */
export async function runHistory(
  { namespace, output }: HistoryValues,
  { source, context, words: [word = ""] }: { source: Source; context: CliContext; words: readonly string[] },
): Promise<number> {
  const document = await findHistory(source, readName(word, namespace ?? source.namespace));
  const report = historyReport(document, { server: source.name, commands: commandsOf(source, context) });
  if (output === "json" || output === "yaml") context.out(await documentText(report, output));
  else if (output === "name") context.out(report.items.map(({ version }) => `${version}\n`).join(""));
  else if (report.items.length === 0) context.err("No revision yet\n");
  else context.out(historyText(report, { wide: output === "wide", paint: painter(context.color.out) }));
  return EXIT.ok;
}
