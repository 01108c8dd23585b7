import type { ConfigDocument, ServedDocument } from "../../app/documents/mod.ts";
import { type FileConfig, readFiles } from "../../app/diff/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { stringifyYaml } from "../../base/yaml/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT } from "../exit_code.ts";
import { documentText } from "../output.ts";
import type { Source } from "../source/source.ts";
import { commandsOf } from "../status/next.ts";
import { clean } from "../text/clean.ts";
import { painter } from "../text/paint.ts";
import { wantedBodies } from "./compare.ts";
import { type DiffItem, diffItem, type DiffReport } from "./report.ts";
import { diffText } from "./text.ts";

/** What `chancery diff` is told. */
export interface DiffValues {
  /** Of objects that name none. */
  readonly namespace: string | undefined;
  readonly output: "text" | "json" | "yaml";
}

/** A server does not take any number of questions at once. */
const AT_A_TIME = 8;

/** Runs `chancery diff`. */
export async function runDiff(
  { output, namespace }: DiffValues,
  { source, context, words }: { source: Source; context: CliContext; words: readonly string[] },
): Promise<number> {
  const { configs: files, problems } = await readFiles(words, {
    namespace: namespace ?? source.namespace ?? "default",
  });
  if (problems.length > 0) {
    const lines = problems.map(({ file, message }) => message.startsWith(file) ? message : `${file}: ${message}`);
    for (const line of lines) context.err(`${clean(line)}\n`);
    context.err(`Cannot compare what cannot be read\nNext: ${commandsOf(source, context).validate(...words)}\n`);
    return EXIT.usage;
  }
  if (files.length === 0) {
    throw new ChanceryError("invalid-input", "Cannot compare: there is no EnvoyConfig in the files");
  }
  const configs = await storedConfigs(source, files);
  const items: DiffItem[] = [];
  for (let start = 0; start < files.length; start += AT_A_TIME) {
    const some = files.slice(start, start + AT_A_TIME);
    items.push(
      ...await Promise.all(some.map(async (file) => diffItem(file, { served: await servedOf(source, file), configs }))),
    );
  }
  const report: DiffReport = {
    version: 1,
    server: source.name,
    same: items.every(({ changes }) => changes.length === 0),
    items,
  };
  if (output !== "text") context.out(await documentText(report, output));
  else {
    const paint = painter(context.color.out);
    for (const item of items) context.out(diffText(item, { paint, toYaml: stringifyYaml }));
  }
  return report.same ? EXIT.ok : EXIT.differs;
}

/** What is stored beside the files, as far as the source looks beyond one namespace at a time. */
async function storedConfigs(source: Source, files: readonly FileConfig[]): Promise<readonly ConfigDocument[]> {
  const namespaces = source.namespace === undefined ? [undefined] : new Set(files.map(({ namespace }) => namespace));
  const documents = await Promise.all([...namespaces].map((namespace) => source.configs({ namespace })));
  return documents.flatMap(({ configs }) => configs);
}

/** What the node id is served, with the content of what differs; `undefined` when nothing is. */
async function servedOf(source: Source, file: FileConfig): Promise<ServedDocument | undefined> {
  try {
    const { namespace, nodeId } = file;
    const served = await source.served(nodeId, { namespace });
    const wanted = wantedBodies(file, served);
    return wanted.length === 0 ? served : await source.served(nodeId, { namespace, wanted });
  } catch (thrown) {
    if (thrown instanceof ChanceryError && thrown.code === "not-found") return undefined;
    throw thrown;
  }
}
