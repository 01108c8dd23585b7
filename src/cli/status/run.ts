import type { ConfigDocument } from "../../app/documents/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { checkNames, nameOf, readName } from "../source/names.ts";
import { labelSelector } from "../source/selector.ts";
import type { Source } from "../source/source.ts";
import { clean } from "../text/clean.ts";
import { painter } from "../text/paint.ts";
import { commandsOf } from "./next.ts";
import { type StatusItem, type StatusReport, statusReport } from "./report.ts";
import { besideText, statusText } from "./text.ts";

/** What `chancery status` is told. */
export interface StatusValues {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly output: "text" | "wide" | "json" | "yaml" | "name";
  readonly watch: boolean;
  readonly exitCode: boolean;
}

/** How often is asked while watching. */
const EVERY_MS = 500;

/** Runs `chancery status`; with `watch` until nobody reads any more. */
export async function runStatus(
  values: StatusValues,
  { source, context, words }: { source: Source; context: CliContext; words: readonly string[] },
): Promise<number> {
  const namespace = values.allNamespaces ? undefined : values.namespace;
  const keys = words.map((word) => readName(word, namespace));
  const labels = values.selector === undefined ? undefined : labelSelector(values.selector);
  let report = await look(source, { keys, namespace, labels });
  for (const detail of report.details) context.err(`warning: ${source.name}: ${clean(detail)}\n`);
  await print(report, { values, source, context });
  while (values.watch) {
    await pause(EVERY_MS);
    const next = await look(source, { keys, namespace, labels });
    if (!await printChanges(report, next, { values, context })) break;
    report = next;
  }
  return values.exitCode && !report.inSync ? EXIT.differs : EXIT.ok;
}

async function look(
  source: Source,
  { keys, namespace, labels }: {
    keys: readonly ObjectKey[];
    namespace: string | undefined;
    labels: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;
  },
): Promise<StatusReport> {
  const [one] = keys;
  const query = one && keys.length === 1 ? { namespace: one.namespace, name: one.name } : {};
  const document = await source.configs(query);
  if (document.configs.length === 0 && one) checkNames(keys, await source.configs());
  else checkNames(keys, document);
  const names = new Set(keys.map(nameOf));
  const wanted = (config: ConfigDocument) =>
    (names.size > 0 ? names.has(nameOf(config)) : namespace === undefined || config.namespace === namespace) &&
    (labels === undefined || labels(config.labels));
  const selected = names.size > 0 || namespace !== undefined || labels !== undefined;
  return statusReport(document, { server: source.name, selected, wanted, commands: commandsOf(source) });
}

async function print(
  report: StatusReport,
  { values: { output }, source, context }: { values: StatusValues; source: Source; context: CliContext },
): Promise<void> {
  if (output === "json" || output === "yaml") return void context.out(await documentText(report, output));
  if (output === "name") return void context.out(report.items.map((item) => `${nameOf(item)}\n`).join(""));
  const paint = painter(context.color.out);
  if (report.items.length === 0) context.err("No EnvoyConfig found\n");
  context.out(statusText(report, { wide: output === "wide", paint }));
  context.out(besideText(report, { paint, commands: commandsOf(source) }));
}

/** Prints the items that changed, as kubectl does: below each other. False when nobody reads any more. */
async function printChanges(
  before: StatusReport,
  after: StatusReport,
  { values: { output }, context }: { values: StatusValues; context: CliContext },
): Promise<boolean> {
  const known = new Map(before.items.map((item) => [nameOf(item), JSON.stringify(item)]));
  const changed = after.items.filter((item) => known.get(nameOf(item)) !== JSON.stringify(item));
  if (changed.length === 0) return true;
  if (output === "json") return context.out(changed.map((item) => `${JSON.stringify(item)}\n`).join(""));
  if (output === "yaml") {
    const texts = await Promise.all(changed.map((item) => documentText(item, "yaml")));
    return context.out(texts.map((text) => `---\n${text}`).join(""));
  }
  if (output === "name") return context.out(changed.map((item) => `${nameOf(item)}\n`).join(""));
  const only: ReadonlySet<StatusItem> = new Set(changed);
  return context.out(
    statusText(after, { wide: output === "wide", paint: painter(context.color.out), only, header: false }),
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
