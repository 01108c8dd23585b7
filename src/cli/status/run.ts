import type { ConfigsDocument } from "../../app/documents/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { checkNames, nameOf, neighbours } from "../source/names.ts";
import { type Scope, scopeOf } from "../source/scope.ts";
import type { Source } from "../source/source.ts";
import { clean } from "../text/clean.ts";
import { painter } from "../text/paint.ts";
import { printChanges } from "./changes.ts";
import { commandsOf } from "./next.ts";
import { type StatusItem, type StatusReport, statusReport } from "./report.ts";
import { servicesText } from "./services.ts";
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

/** Changes are told no more often than that. */
const EVERY_MS = 500;

/** Runs `chancery status`; with `watch` until nobody reads any more. */
export async function runStatus(
  values: StatusValues,
  { source, context, words }: { source: Source; context: CliContext; words: readonly string[] },
): Promise<number> {
  const scope = scopeOf(words, { ...values, usual: source.namespace });
  const warned = new Set<string>();
  const look = async (document: ConfigsDocument) => {
    await check(scope, document, source);
    for (const detail of document.details) {
      if (!warned.has(detail)) context.err(`warning: ${source.name}: ${clean(detail)}\n`);
      warned.add(detail);
    }
    const { selected, wanted } = scope;
    const commands = commandsOf(source, context);
    return statusReport(document, { server: source.name, selected, wanted, commands });
  };
  const changesText = (report: StatusReport, only: ReadonlySet<StatusItem>) => {
    const paint = painter(context.color.out);
    return statusText(report, { wide: values.output === "wide", paint, only, header: false });
  };
  let report: StatusReport | undefined;
  if (values.watch) {
    for await (const document of source.follow(scope.query, { everyMs: EVERY_MS })) {
      const next = await look(document);
      if (!report) await print(next, { values, source, context, scope });
      else if (!await printChanges(report, next, { output: values.output, context, text: changesText })) break;
      report = next;
    }
  } else {
    report = await look(await source.configs(scope.query));
    await print(report, { values, source, context, scope });
  }
  return values.exitCode && !report?.inSync ? EXIT.differs : EXIT.ok;
}

/** Throws `not-found` when a name is not there, with what was probably meant. */
async function check({ keys, query }: Scope, document: ConfigsDocument, source: Source): Promise<void> {
  const missing = keys.filter((key) => !document.configs.some((config) => nameOf(config) === nameOf(key)));
  const [first] = missing;
  if (!first) return;
  const known = query.name === undefined ? document : await source.configs(neighbours(first, source));
  checkNames([first], known);
}

async function print(
  report: StatusReport,
  { values: { output }, source, context, scope: { namespace } }: {
    values: StatusValues;
    source: Source;
    context: CliContext;
    scope: Scope;
  },
): Promise<void> {
  if (output === "json" || output === "yaml") return void context.out(await documentText(report, output));
  if (output === "name") return void context.out(report.items.map((item) => `${nameOf(item)}\n`).join(""));
  const paint = painter(context.color.out);
  if (report.items.length === 0 && report.virtualServices.length === 0) {
    const where = namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}; -A looks in all of them`;
    context.err(`No EnvoyConfig found${where}\n`);
  }
  const services = servicesText(report.virtualServices, { ...report, paint });
  context.out(statusText(report, { wide: output === "wide", paint }));
  context.out(report.items.length > 0 && services !== "" ? `\n${services}` : services);
  context.out(besideText(report, { paint, commands: commandsOf(source, context) }));
}
