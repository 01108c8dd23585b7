import { UsageError } from "../exit_code.ts";

const KEY = String.raw`[\w./-]+`;
const TERM = new RegExp(String.raw`^(?:(!?)(${KEY})|(${KEY})\s*(==?|!=)\s*([\w.-]*))$`);

/**
 * Whether labels are as `-l` asks: `a=b`, `a!=b`, `a` (there is one) and `!a`, separated by commas. Throws a usage error for
 * anything else.
 */
export function labelSelector(text: string): (labels: Readonly<Record<string, string>>) => boolean {
  const terms = text.split(",").map((word) => termOf(word.trim()));
  return (labels) => terms.every((holds) => holds(labels));
}

function termOf(word: string): (labels: Readonly<Record<string, string>>) => boolean {
  const match = TERM.exec(word);
  if (!match) throw new UsageError(`Cannot read ${JSON.stringify(word)}: KEY=VALUE, KEY!=VALUE, KEY or !KEY is needed`);
  const [, not, present, key = "", operator, value] = match;
  if (present !== undefined) return (labels) => Object.hasOwn(labels, present) === (not === "");
  return (labels) => {
    const same = Object.hasOwn(labels, key) && labels[key] === value;
    return operator === "!=" ? !same : same;
  };
}
