import type { PodsDocument } from "../../../app/pods/mod.ts";
import { ChanceryError, suggest } from "../../../base/mod.ts";
import type { Pod } from "../../../pods/mod.ts";
import type { CliContext } from "../../command.ts";
import { EXIT } from "../../exit_code.ts";
import { documentText } from "../../output.ts";
import { nameOf, readName } from "../../source/names.ts";
import { readSelector, selects } from "../../source/selector.ts";
import { painter } from "../../text/paint.ts";
import { printChanges } from "../changes.ts";
import { podCommands } from "./next.ts";
import { type PodItem, type PodsReport, podsReport } from "./report.ts";
import type { PodSource } from "./source.ts";
import { podsText } from "./text.ts";

/** What `chancery status pods` is told. */
export interface PodsValues {
  readonly namespace: string | undefined;
  readonly allNamespaces: boolean;
  readonly selector: string | undefined;
  readonly output: "text" | "wide" | "json" | "yaml" | "name";
  readonly watch: boolean;
  readonly exitCode: boolean;
  readonly image: string | undefined;
  readonly envoyImage: string | undefined;
}

/** How often it is looked again: pods change slowly, and each look asks for all of them. */
const EVERY_MS = 2_000;

/** Runs `chancery status pods`; with `watch` until nobody reads any more. `flags` has to be typed to ask the same cluster again. */
export async function runPods(
  values: PodsValues,
  { source, flags, context, words }: {
    source: PodSource;
    flags: string;
    context: CliContext;
    words: readonly string[];
  },
): Promise<number> {
  const namespace = values.allNamespaces ? undefined : values.namespace ?? source.namespace;
  const keys = words.map((word) => nameOf(readName(word, namespace)));
  const places = new Set(keys.map((key) => key.split("/")[0]));
  const [place] = places;
  const terms = values.selector === undefined ? undefined : readSelector(values.selector);
  const wanted = ({ metadata: { namespace = "default", name, labels = {} } }: Pod) =>
    (keys.length === 0 || keys.includes(nameOf({ namespace, name }))) &&
    (terms === undefined || selects(terms, labels));
  const query = {
    namespace: keys.length === 0 ? namespace : places.size === 1 ? place : undefined,
    programs: values.image === undefined,
  };
  const { image, envoyImage } = values;
  const said = { ...(image !== undefined && { image }), ...(envoyImage !== undefined && { envoyImage }) };
  const commands = podCommands(flags, context);
  const reportOn = (document: PodsDocument) => {
    check(keys, document);
    return podsReport(document, { server: source.server, wanted, said, commands });
  };
  if (!values.watch) {
    const report = reportOn(await source.look(query));
    await print(report, { values, context, namespace });
    return values.exitCode && !report.current ? EXIT.differs : EXIT.ok;
  }
  const changesText = (report: PodsReport, only: ReadonlySet<PodItem>) =>
    podsText(report, { wide: values.output === "wide", paint: painter(context.color.out), only });
  let before: PodsReport | undefined;
  for await (const document of source.follow(query, { everyMs: EVERY_MS })) {
    const report = reportOn(document);
    if (!before) await print(report, { values, context, namespace });
    else if (!await printChanges(before, report, { output: values.output, context, text: changesText })) break;
    before = report;
  }
  return values.exitCode && !before?.current ? EXIT.differs : EXIT.ok;
}

/** Throws `not-found` for the first that is not there, with what was probably meant. */
function check(keys: readonly string[], { pods }: PodsDocument): void {
  const known = pods.map(({ metadata: { namespace = "default", name } }) => nameOf({ namespace, name }));
  const missing = keys.find((key) => !known.includes(key));
  if (missing === undefined) return;
  const near = suggest(missing, known);
  const hint = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
  throw new ChanceryError("not-found", `Cannot find a pod of ours called ${JSON.stringify(missing)}${hint}`);
}

async function print(
  report: PodsReport,
  { values: { output }, context, namespace }: {
    values: PodsValues;
    context: CliContext;
    namespace: string | undefined;
  },
): Promise<void> {
  if (output === "json" || output === "yaml") return void context.out(await documentText(report, output));
  if (output === "name") return void context.out(report.items.map((item) => `${nameOf(item)}\n`).join(""));
  if (report.items.length === 0) {
    const where = namespace === undefined ? "" : ` in namespace ${JSON.stringify(namespace)}; -A looks in all of them`;
    context.err(`No pod with an Envoy or a discovery service found${where}\n`);
  }
  context.out(podsText(report, { wide: output === "wide", paint: painter(context.color.out) }));
}
