import type { KindDefinition } from "../../api/mod.ts";
import { suggest } from "../../base/mod.ts";
import { UsageError } from "../exit_code.ts";

/**
 * The kinds that words stand for, in the order of `kinds`; all of them for no words. A word is anything that kubectl takes: kind,
 * singular, plural, short name, or the plural with its group.
 * @throws {UsageError} that names every word which stands for none
 */
export function selectKinds(kinds: readonly KindDefinition[], words: readonly string[]): readonly KindDefinition[] {
  if (words.length === 0) return kinds;
  const unknown = words.filter((word) => !kinds.some((kind) => wordsOf(kind).includes(word.toLowerCase())));
  if (unknown.length > 0) throw new UsageError(unknown.map((word) => explain(kinds, word)).join("\n"));
  return kinds.filter((kind) => words.some((word) => wordsOf(kind).includes(word.toLowerCase())));
}

function wordsOf({ kind, singular, plural, shortNames, group }: KindDefinition): string[] {
  return [kind.toLowerCase(), singular, plural, ...shortNames, `${plural}.${group}`];
}

function explain(kinds: readonly KindDefinition[], word: string): string {
  const near = suggest(word, kinds.flatMap(wordsOf));
  const hint = near === undefined
    ? `; there are ${kinds.map(({ singular }) => singular).join(", ")}`
    : `, did you mean ${JSON.stringify(near)}?`;
  return `${JSON.stringify(word)} is no kind of Chancery${hint}`;
}
