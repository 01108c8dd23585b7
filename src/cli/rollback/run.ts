import type { ConfigDocument, HistoryDocument } from "../../app/documents/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import type { CliContext } from "../command.ts";
import { EXIT, UsageError } from "../exit_code.ts";
import { documentText } from "../output.ts";
import { findHistory } from "../source/find_history.ts";
import { nameOf, readName } from "../source/names.ts";
import type { Source } from "../source/source.ts";
import { type Commands, commandsOf } from "../status/next.ts";
import { clean } from "../text/clean.ts";
import { painter } from "../text/paint.ts";
import { type Progress, rollbackProgress } from "./progress.ts";
import { namedVersion, previousVersion } from "./target.ts";

/** What `chancery rollback` is told. */
export interface RollbackValues {
  readonly namespace: string | undefined;
  readonly to: string | undefined;
  readonly retry: boolean;
  /** Milliseconds; 0 does not wait. */
  readonly timeout: number;
  readonly output: "text" | "json" | "yaml";
}

/** The whole of `chancery rollback -o json`: fields are added here, never removed or given another meaning. */
export interface RollbackReport {
  readonly version: 1;
  readonly server: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: "pin" | "retry";
  /** Version that was published before; null when none was. */
  readonly from: string | null;
  /** Version that is to be served. */
  readonly to: string | null;
  /** What is on offer in the end. */
  readonly publication: string | null;
  readonly result: "accepted" | "refused" | "timeout" | "requested";
  /** One sentence, with Envoy's own words where it refused. */
  readonly message: string;
}

const EVERY_MS = 150;
const STATUS: Readonly<Record<RollbackReport["result"], number>> = {
  accepted: EXIT.ok,
  requested: EXIT.ok,
  refused: EXIT.refused,
  timeout: EXIT.timeout,
};

/** Runs `chancery rollback`: asks, and waits for what the Envoys say. */
export async function runRollback(
  values: RollbackValues,
  { source, context, words: [word = ""] }: { source: Source; context: CliContext; words: readonly string[] },
): Promise<number> {
  const { to: wanted, retry, timeout, output, namespace } = values;
  if (wanted !== undefined && retry) {
    throw new UsageError("Cannot hold a version and try another: give --to or --retry");
  }
  const history = await findHistory(source, readName(word, namespace ?? source.namespace));
  const { config } = history;
  const commands = commandsOf(source, context);
  if (config.servedFrom) {
    throw new ChanceryError(
      "conflict",
      `Cannot roll back ${nameOf(config)}: its node id is served from ${nameOf(config.servedFrom)}\nNext: ${
        commands.status(config.servedFrom)
      }`,
    );
  }
  const action = retry ? { retry: true } as const : { pin: targetOf(wanted, { history, commands }) };
  const answer = await source.rollback({ key: { kind: "EnvoyConfig", ...config }, uid: config.uid, action });
  const tell = output === "text" ? (text: string) => void context.out(text) : () => {};
  const to = answer.version || null;
  const from = config.status.publishedVersion || null;
  const before = from === null || from === to ? "" : ` (${from} was published)`;
  const [verb, where] = ["pin" in action ? "holding" : "trying", `${nameOf(config)} at ${to ?? "its spec"}`];
  const { place } = source;
  tell(
    answer.changed
      ? `${verb} ${where}${before}${place}\n`
      : `nothing to change: ${where} is asked for already${place}\n`,
  );
  const end = timeout === 0
    ? { kind: "requested", message: "not waited for", publication: undefined } as const
    : await waited({ source, config, tell, timeout, look: (now) => rollbackProgress(now, answer) });
  const report: RollbackReport = {
    version: 1,
    server: source.name,
    namespace: config.namespace,
    name: config.name,
    action: retry ? "retry" : "pin",
    from,
    to,
    publication: end.publication ?? null,
    result: end.kind,
    message: end.message,
  };
  if (output !== "text") context.out(await documentText(report, output));
  else context.out(endText(report, { source, context }));
  return STATUS[report.result];
}

function targetOf(wanted: string | undefined, from: { history: HistoryDocument; commands: Commands }): string {
  return wanted === undefined ? previousVersion(from) : namedVersion(wanted, from);
}

interface End {
  readonly kind: "accepted" | "refused" | "timeout";
  readonly message: string;
  readonly publication?: string | undefined;
}

async function waited({ source, config, tell, timeout, look }: {
  source: Source;
  config: ConfigDocument;
  tell: (text: string) => void;
  timeout: number;
  look: (config: ConfigDocument) => Progress;
}): Promise<End> {
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeout);
  let progress: Progress = { kind: "waiting", message: "the server has said nothing yet" };
  let published: string | undefined;
  try {
    const { namespace, name } = config;
    for await (const { configs } of source.follow({ namespace, name }, { everyMs: EVERY_MS, signal: stop.signal })) {
      const [now] = configs;
      if (now?.uid !== config.uid) throw new ChanceryError("not-found", `Cannot go on: ${nameOf(config)} was removed`);
      progress = look(now);
      if (progress.publication !== undefined && progress.publication !== published) {
        published = progress.publication;
        tell(`published ${published}\n`);
      }
      if (progress.kind !== "waiting") return progress;
    }
    return { ...progress, kind: "timeout" };
  } finally {
    clearTimeout(timer);
  }
}

function endText(
  { action, result, message, namespace, name }: RollbackReport,
  { source, context }: { source: Source; context: CliContext },
): string {
  const paint = painter(context.color.out);
  const commands = commandsOf(source, context);
  const key = { namespace, name };
  const next = result === "accepted"
    ? action === "pin" ? `${commands.retry(key)}  # or change the spec, to end this` : undefined
    : result === "refused"
    ? commands.history(key)
    : commands.status(key, " -w");
  const mark = {
    accepted: paint("green", "accepted"),
    requested: "requested",
    refused: paint("red", "refused"),
    timeout: paint("yellow", "time ran out"),
  }[result];
  return `${mark}: ${clean(message)}\n${next === undefined ? "" : `${paint("cyan", "Next:")} ${clean(next)}\n`}`;
}
