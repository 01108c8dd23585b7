import { suggest } from "../../base/mod.ts";
import { nameOf } from "../source/names.ts";
import { age } from "../text/age.ts";
import { clean } from "../text/clean.ts";
import type { Paint, Style } from "../text/paint.ts";
import { type Cell, tableLines } from "../text/table.ts";
import type { Commands } from "./next.ts";
import { envoys, fromFinding, type Problem } from "./problems.ts";
import type { StatusClients, StatusItem, StatusReport } from "./report.ts";

/** How the table is to look. */
export interface StatusTextOptions {
  readonly wide: boolean;
  readonly paint: Paint;
  /** Rows to show of all that the columns are made for; all when absent. */
  readonly only?: ReadonlySet<StatusItem>;
  /** Whether the header is shown; true when absent. */
  readonly header?: boolean;
}

const COLUMNS = ["NAME", "NODE ID", "DESIRED", "PUBLISHED", "STATE", "CLIENTS", "AGE"];
const WIDE_COLUMNS = ["ACKNOWLEDGED", "STREAMS", "HOLDS", "ENVOY"];
/** So many problems of one EnvoyConfig are told; the rest is counted. */
const MAX_PROBLEMS = 5;

/** The table, with what is wrong below each line. */
export function statusText(report: StatusReport, options: StatusTextOptions): string {
  const { wide, paint, only, header = true } = options;
  const { items, now } = report;
  const columns = wide ? [...COLUMNS, ...WIDE_COLUMNS] : COLUMNS;
  const [first = "", ...rows] = tableLines(columns, items.map((item) => cellsOf(item, { wide, now })), paint);
  const lines = header && items.length > 0 ? [first] : [];
  for (const [index, item] of items.entries()) {
    if (only && !only.has(item)) continue;
    lines.push(rows[index] ?? "", ...problemLines(item.problems, paint));
  }
  return lines.map((line) => `${line}\n`).join("");
}

/** What there is to say beside the EnvoyConfigs; empty when that is nothing. */
export function besideText({ items, strays, findings }: StatusReport, { paint, commands }: {
  paint: Paint;
  commands: Pick<Commands, "validate" | "bootstrap">;
}): string {
  const lines: string[] = [];
  const known = items.flatMap(({ nodeId }) => nodeId ?? []);
  for (const { nodeId, clients } of strays) {
    const near = suggest(nodeId, known);
    const hint = near === undefined ? "" : `, did you mean ${JSON.stringify(near)}?`;
    const asks = clients.connected === 1 ? "asks" : "ask";
    const message = `${envoys(clients.connected)} ${asks} for node id ${
      JSON.stringify(nodeId)
    }, which no EnvoyConfig has`;
    lines.push(`${paint("yellow", "warning")}: ${clean(message)}${clean(hint)}`);
    lines.push(
      `  ${paint("cyan", "Next:")} ${clean(commands.bootstrap(near))}`,
    );
  }
  const problems = findings.map((finding) => ({
    ...fromFinding(finding, finding.file === null ? "" : commands.validate(finding.file)),
    about: finding.about,
  }));
  const next = new Set(problems.map((one) => one.next).filter(Boolean));
  for (const problem of problems) {
    const about = problem.file === null ? `${clean(problem.about)}: ` : "";
    lines.push(`${about}${problemText(problem, paint)}`);
  }
  for (const command of next) lines.push(`  ${paint("cyan", "Next:")} ${clean(command)}`);
  return lines.map((line) => `${line}\n`).join("");
}

/** What is wrong, and then each command once. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const shown = problems.slice(0, MAX_PROBLEMS);
  const rest = problems.length - shown.length;
  const next = new Set(shown.map((one) => one.next).filter(Boolean));
  return [
    ...shown.map((problem) => `  ${problemText(problem, paint)}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    ...[...next].map((command) => `  ${paint("cyan", "Next:")} ${clean(command)}`),
  ];
}

function problemText({ severity, message, file, line, column }: Problem, paint: Paint): string {
  const place = file === null
    ? ""
    : `${paint("bold", clean([file, line, column].filter((part) => part !== null).join(":")))}: `;
  return `${place}${paint(severity === "error" ? "red" : "yellow", severity)}: ${clean(message)}`;
}

function cellsOf(item: StatusItem, { wide, now }: { wide: boolean; now: string }): Cell[] {
  const { nodeId, desiredVersion, publishedVersion, acknowledgedVersion, state, clients, createdAt } = item;
  const cells: Cell[] = [
    nameOf(item),
    nodeId ?? "",
    desiredVersion ?? "",
    publishedVersion ?? "",
    { text: state, style: styleOf(item) },
    clients ? `${clients.accepted}/${clients.connected}` : "",
    age(createdAt, now),
  ];
  if (!wide) return cells;
  return [
    ...cells,
    acknowledgedVersion ?? "",
    clients ? streamsText(clients) : "",
    clients ? holdsText(clients, now) : "",
    clients ? envoysText(clients) : "",
  ];
}

function styleOf({ state, inSync, problems }: StatusItem): Style | undefined {
  if (["RollbackFailed", "Conflict", "Invalid"].includes(state)) return "red";
  if (state === "Pending") return "dim";
  return inSync && problems.length === 0 ? "green" : "yellow";
}

function streamsText({ streams }: StatusClients): string {
  if (!streams) return "";
  const { delta, sotw } = streams;
  return [delta > 0 ? `${delta} delta` : "", sotw > 0 ? `${sotw} sotw` : ""].filter(Boolean).join(", ");
}

function holdsText({ holds }: StatusClients, now: string): string {
  return (holds ?? []).map(({ type, waitingFor, since, streams }) => {
    const times = streams > 1 ? ` ×${streams}` : "";
    return `${type} waits ${age(since, now)} for ${waitingFor}${times}`;
  }).join("; ");
}

/** `1.40.0`, `1.40.0 ×998, 1.39.2 ×2`; the name is left out where it is Envoy's. */
function envoysText({ userAgents }: StatusClients): string {
  const kinds = Object.entries(userAgents ?? {}).map(([agent, count]) =>
    [agent.replace(/^envoy /, ""), count] as const
  );
  return kinds.map(([agent, count]) => kinds.length > 1 ? `${agent} ×${count}` : agent).join(", ");
}
