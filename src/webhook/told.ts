import { type Finding, formatPath } from "../base/mod.ts";

/** Most errors of one refusal, and most characters of one and of all: this ends up in terminals, Events and status fields. */
const MAX_ERRORS = 100;
const MAX_ERROR_LENGTH = 1_024;
const MAX_ERRORS_LENGTH = 16_384;

/**
 * An API server cuts each warning to 256 characters once all warnings together have more than 4,096, and then leaves out what is
 * more than that. Some room is left for the warnings of others.
 */
const MAX_WARNING_LENGTH = 256;
const MAX_WARNINGS_LENGTH = 3_584;

/** `{"errors":["…","…"]}`, in item order. Of too many the first are told, and how many there are besides. */
export function errorsDocument(findings: readonly Finding[]): string {
  const bounds = { count: MAX_ERRORS, each: MAX_ERROR_LENGTH, all: MAX_ERRORS_LENGTH };
  return JSON.stringify({ errors: bounded(inItemOrder(findings), bounds) });
}

/** All in one sentence, for those who read it in an Event. Of too many the first are told. */
export function sentence(findings: readonly Finding[]): string {
  return bounded(findings, { count: MAX_ERRORS, each: MAX_ERROR_LENGTH, all: MAX_ERRORS_LENGTH }).join("; ");
}

/** The texts of warnings, within what an API server lets through. */
export function warningTexts(findings: readonly Finding[]): string[] {
  return bounded(findings, { count: Infinity, each: MAX_WARNING_LENGTH, all: MAX_WARNINGS_LENGTH });
}

/** `path: message, did you mean "x"?` on one line, of at most `max` characters; a long path is shortened in its middle. */
export function findingText({ path, message, suggestion }: Finding, max: number): string {
  const hint = suggestion === undefined ? "" : `, did you mean ${JSON.stringify(suggestion)}?`;
  const field = formatPath(path);
  const said = `${message.slice(0, 2 * max)}${hint.slice(0, 2 * max)}`; // whoever names a thing in a megabyte waits for no scan of it
  if (field === "") return cut(clean(said), max);
  const rest = clean(`: ${said}`);
  const least = Math.min(Math.floor(max / 3), lengthOf(field));
  return cut(`${withoutMiddle(clean(field), Math.max(least, max - lengthOf(rest)))}${rest}`, max);
}

interface Bounds {
  readonly count: number;
  readonly each: number;
  readonly all: number;
}

/** Room for the sentence that tells of the others. */
const MORE_LENGTH = 80;

function bounded(findings: readonly Finding[], { count, each, all }: Bounds): string[] {
  const told = new Set<string>();
  let length = 0;
  for (const [index, finding] of findings.entries()) {
    const text = findingText(finding, each);
    if (told.has(text)) continue;
    length += lengthOf(text);
    const left = findings.length - index;
    if (told.size >= count || length > all - (left === 1 ? 0 : MORE_LENGTH)) {
      told.add(`and ${left} more; "chancery validate" tells them all`);
      break;
    }
    told.add(text);
  }
  return [...told];
}

/** What concerns the whole, then list by list, by index. Whoever looks for mistakes looks in several rounds over the items. */
function inItemOrder(findings: readonly Finding[]): Finding[] {
  const lists = new Map<string, [number, Finding][]>([["", []]]);
  for (const finding of findings) {
    const at = finding.path.findIndex((segment) => typeof segment === "number");
    const list = at < 0 ? "" : formatPath(finding.path.slice(0, at));
    const entries = lists.get(list) ?? [];
    if (entries.length === 0) lists.set(list, entries);
    entries.push([Number(finding.path[at] ?? 0), finding]);
  }
  return [...lists.values()].flatMap((entries) => entries.sort(([a], [b]) => a - b).map(([, finding]) => finding));
}

/** In characters, as the API server counts. */
function lengthOf(text: string): number {
  return [...text].length;
}

function cut(text: string, max: number): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

function withoutMiddle(text: string, max: number): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  const head = Math.floor((max - 1) / 3);
  return `${characters.slice(0, head).join("")}…${characters.slice(characters.length - (max - 1 - head)).join("")}`;
}

/** An API server drops a warning that has control characters, and a terminal should not get them either. */
function clean(text: string): string {
  return text.toWellFormed().replace(/\p{Cc}+/gu, " ");
}
