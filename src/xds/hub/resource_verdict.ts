import type { Resource } from "../../snapshot/mod.ts";
import type { Refusal, SessionState, TypeState } from "../session/mod.ts";

/** What a client made of one resource. */
export type ResourceVerdict =
  | { readonly kind: "accepted" | "pending" }
  /** Why, in the client's words, and when in milliseconds since the epoch. */
  | { readonly kind: "rejected"; readonly message: string; readonly at: number };

/** What a stream says of a resource that it is offered; `undefined` when it has not asked for that type. */
export function resourceVerdict(
  session: SessionState,
  { typeUrl, name, version }: Resource,
): ResourceVerdict | undefined {
  const type = session.types.get(typeUrl);
  if (!type) return undefined;
  if (type.inFlight.some(({ names }) => names.includes(name))) return { kind: "pending" };
  if (type.held.entries.get(name)?.version === version) return { kind: "accepted" };
  const { refused } = type;
  if (!refused || refused.serial !== session.offer?.serial) return { kind: "pending" };
  const words = wordsAbout(refused, type);
  const message = words.size === 0 ? refused.message : words.get(name);
  return message === undefined ? { kind: "accepted" } : { kind: "rejected", message: message.trim(), at: refused.at };
}

const WORDS = new WeakMap<Refusal, ReadonlyMap<string, string>>();

/**
 * A refusal taken apart. Envoy applies what it can of a response and names the rest, each with its reason:
 * `Error adding/updating listener(s) a: why\nb: why`. Nothing when it is about the response as a whole.
 */
function wordsAbout(refused: Refusal, { held }: TypeState): ReadonlyMap<string, string> {
  let words = WORDS.get(refused);
  if (!words) WORDS.set(refused, words = takeApart(refused.message, held.entries));
  return words;
}

const PREFIX = /^Error adding\/updating \w+\(s\) /;

function takeApart(message: string, names: { has(name: string): boolean }): ReadonlyMap<string, string> {
  const prefix = PREFIX.exec(message)?.[0];
  if (prefix === undefined) return new Map();
  const rest = message.slice(prefix.length);
  const starts: { name: string; from: number; at: number }[] = [];
  for (const match of rest.matchAll(/(^|\n|, )(?=(\S[^\n]*?): )/g)) {
    const from = match.index + match[1]!.length; // groups of a match are texts
    const name = nameAt(rest, from, names);
    if (name !== undefined) starts.push({ name, from: from + name.length + 2, at: match.index });
  }
  return new Map(starts.map(({ name, from }, index) => [name, rest.slice(from, starts[index + 1]?.at)]));
}

/** Names may hold colons themselves: the longest that is one counts. */
function nameAt(text: string, from: number, names: { has(name: string): boolean }): string | undefined {
  const line = text.slice(from, from + MAX_NAME).split("\n", 1)[0]!; // there is always a first
  for (let end = line.lastIndexOf(": "); end > 0; end = line.lastIndexOf(": ", end - 1)) {
    const name = line.slice(0, end);
    if (names.has(name)) return name;
  }
  return undefined;
}

/** Longer names are not looked for. */
const MAX_NAME = 1024;
