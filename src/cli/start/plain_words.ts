import { flagOf, type OptionTable } from "../option.ts";
import type { Given } from "../values.ts";

/**
 * What is typed in `words`, if they are nothing but options of the table, written out: `--name VALUE`, `--name=VALUE`, `--flag`.
 * `undefined` for everything else, which needs a parser that can say what is wrong.
 */
export function givenIn(words: readonly string[], table: OptionTable): Given | undefined {
  const names = new Map(Object.entries(table).map(([name, spec]) => [flagOf(name), { name, spec }]));
  const given: Record<string, string | string[] | boolean> = {};
  for (let at = 0; at < words.length; at++) {
    const [, flag = "", joined] = /^(--[a-z][a-z0-9-]*)(?:=(.*))?$/s.exec(words[at]!) ?? [];
    const { name, spec } = names.get(flag) ?? {};
    if (name === undefined || spec === undefined || spec.bare !== undefined) return undefined;
    if (spec.type === "flag") {
      if (joined !== undefined) return undefined;
      given[name] = true;
      continue;
    }
    const value = joined ?? words[++at];
    // What looks like an option is one that was forgotten a value.
    if (value === undefined || (joined === undefined && value.startsWith("-"))) return undefined;
    const before = given[name];
    given[name] = spec.list ? [...(Array.isArray(before) ? before : []), value] : value;
  }
  return given;
}
