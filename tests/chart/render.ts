/**
 * The part of Helm's templates that ours use: enough to say in moments what the chart renders. `deno task test:packages` renders it
 * with the real Helm, and compares the two.
 * @module
 */
import { stringifyYaml } from "../../src/base/yaml/mod.ts";

/** What templates see; in `with` and `range` the dot and variables. */
interface Scope {
  readonly root: Readonly<Record<string, unknown>>;
  readonly dot: unknown;
  readonly variables: Readonly<Record<string, unknown>>;
}

type Token = { readonly text: string } | { readonly action: string };
type Piece =
  | Token
  | {
    readonly keyword: "if" | "with" | "range";
    readonly of: string;
    readonly then: readonly Piece[];
    readonly otherwise: readonly Piece[];
  };

/** The text that a template becomes. @throws {Error} for what ours do not use */
export function render(template: string, root: Readonly<Record<string, unknown>>): string {
  const tokens = tokensOf(template);
  const { pieces, rest } = parse(tokens);
  if (rest.length > 0) throw new Error("A template ends too often");
  return evaluate(pieces, { root, dot: root, variables: {} });
}

/** `{{-` takes the blanks before it along. */
function tokensOf(template: string): Token[] {
  const tokens: Token[] = [];
  let from = 0;
  for (const { 0: whole, 1: trim, 2: action, index } of template.matchAll(/\{\{(-?)\s*(.*?)\s*\}\}/g)) {
    const before = template.slice(from, index);
    tokens.push({ text: trim ? before.trimEnd() : before }, { action: action! });
    from = index + whole.length;
  }
  return [...tokens, { text: template.slice(from) }];
}

function parse(tokens: readonly Token[]): { pieces: Piece[]; rest: readonly Token[]; ended?: "else" | "end" } {
  const pieces: Piece[] = [];
  let rest = tokens;
  while (rest.length > 0) {
    const [token, ...others] = rest as [Token, ...Token[]];
    rest = others;
    if (!("action" in token)) pieces.push(token);
    else if (token.action === "end" || token.action === "else") return { pieces, rest, ended: token.action };
    else {
      const [, keyword, of] = /^(if|with|range) (.*)$/.exec(token.action) ?? [];
      if (keyword === undefined || of === undefined) pieces.push(token);
      else {
        const then = parse(rest);
        const otherwise = then.ended === "else" ? parse(then.rest) : { pieces: [], rest: then.rest };
        rest = otherwise.rest;
        pieces.push({ keyword: keyword as "if", of, then: then.pieces, otherwise: otherwise.pieces });
      }
    }
  }
  return { pieces, rest };
}

function evaluate(pieces: readonly Piece[], scope: Scope): string {
  return pieces.map((piece) => {
    if ("text" in piece) return piece.text;
    if ("action" in piece) return printed(valueOf(piece.action, scope));
    const { keyword, of, then, otherwise } = piece;
    const [, key, variable, source = of] = /^(?:\$(\w+), )?\$(\w+) := (.*)$/.exec(of) ?? [];
    const value = valueOf(source, scope);
    if (isEmpty(value)) return evaluate(otherwise, scope);
    if (keyword === "if") return evaluate(then, scope);
    // Ranges are over lists or maps here; Helm has the keys of a map in their order.
    const each = keyword === "with"
      ? [["", value] as const]
      : Object.entries(value as object).sort(([a], [b]) => Array.isArray(value) ? 0 : a < b ? -1 : 1);
    return each.map(([name, dot]) => {
      const variables = { ...scope.variables, ...(key && { [key]: name }), ...(variable && { [variable]: dot }) };
      return evaluate(then, { ...scope, dot, variables });
    }).join("");
  }).join("");
}

function printed(value: unknown): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Error(`A template prints ${JSON.stringify(value)}`);
}

/** A pipeline of the few functions that are used. */
function valueOf(pipeline: string, scope: Scope): unknown {
  const [first = "", ...functions] = pipeline.split(" | ");
  return functions.reduce((value, call) => {
    const [name, argument] = call.split(" ");
    if (name === "quote") return JSON.stringify(value);
    const indent = `\n${" ".repeat(Number(argument))}`;
    if (name === "nindent") return indent + String(value).replaceAll("\n", indent);
    throw new Error(`A template calls ${JSON.stringify(name)}`);
  }, termOf(first, scope));
}

function termOf(term: string, scope: Scope): unknown {
  const literal = /^"(.*)"$/.exec(term);
  if (literal && !term.includes(" ")) return literal[1];
  const [name = "", ...words] = term.split(" ");
  if (words.length === 0) return lookUp(name, scope);
  if (name === "not") return isEmpty(valueOf(words.join(" "), scope)) ? "true" : "";
  if (name === "toYaml") return stringifyYaml(lookUp(words[0]!, scope)).trimEnd();
  if (name === "join") return (lookUp(words[1]!, scope) as string[]).join(JSON.parse(words[0]!));
  throw new Error(`A template calls ${JSON.stringify(name)}`);
}

function lookUp(path: string, { root, dot, variables }: Scope): unknown {
  if (path === ".") return dot;
  const [start = "", ...steps] = path.split(".");
  const from = start === "" ? dot : start === "$" ? root : variables[start.slice(1)];
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)[step], from);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length === 0;
  return !value;
}
