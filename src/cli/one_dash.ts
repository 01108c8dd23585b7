import { flagOf, type OptionTable } from "./option.ts";

/**
 * Words as Go's flag package takes them, as this program does: `-watch`, `-namespace=shop`, `--watch=true`. A value is left as it is;
 * so are words that are no option of the table.
 */
export function fromOneDash(words: readonly string[], table: OptionTable): string[] {
  const types = new Map(Object.entries(table).map(([name, { type }]) => [flagOf(name), type]));
  const out: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!; // within bounds
    if (word === "--") return [...out, ...words.slice(index)];
    const [, name, value] = /^--?([a-z][a-z0-9-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const type = types.get(`--${name}`);
    if (type === undefined) {
      out.push(word);
    } else if (type !== "flag") {
      out.push(`--${name}`, ...(value === undefined ? words.slice(++index, index + 1) : [value]));
    } else if (value === undefined || /^(1|t|true)$/i.test(value)) {
      out.push(`--${name}`);
    } else if (!/^(0|f|false)$/i.test(value)) {
      out.push(word); // it is for the parser to refuse
    }
  }
  return out;
}
