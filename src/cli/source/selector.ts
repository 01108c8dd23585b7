import { UsageError } from "../exit_code.ts";

/** One requirement of a selector, as Kubernetes writes it. */
export interface LabelTerm {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** For the first two, at least one. */
  readonly values?: readonly string[];
}

const KEY = String.raw`[\w./-]+`;
const PRESENT = new RegExp(String.raw`^(!?)\s*(${KEY})$`);
const EQUAL = new RegExp(String.raw`^(${KEY})\s*(==?|!=)\s*([\w.-]*)$`);
const AMONG = new RegExp(String.raw`^(${KEY})\s+(in|notin)\s*\(([\w.,\s-]*)\)$`);

/**
 * Reads `-l` in kubectl's words: `a=b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a` (there is one) and `!a`, separated by
 * commas. Throws a usage error for anything else.
 */
export function readSelector(text: string): readonly LabelTerm[] {
  return text.split(/,(?![^(]*\))/).map((word) => termOf(word.trim()));
}

/** Whether labels are as all terms ask. */
export function selects(terms: readonly LabelTerm[], labels: Readonly<Record<string, string>>): boolean {
  return terms.every(({ key, operator, values = [] }) => {
    const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
    if (operator === "Exists" || operator === "DoesNotExist") return (value !== undefined) === (operator === "Exists");
    return (value !== undefined && values.includes(value)) === (operator === "In");
  });
}

function termOf(word: string): LabelTerm {
  const [, not, present = ""] = PRESENT.exec(word) ?? [];
  if (not !== undefined) return { key: present, operator: not === "" ? "Exists" : "DoesNotExist" };
  const [, equal, sign, value = ""] = EQUAL.exec(word) ?? [];
  if (equal !== undefined) return { key: equal, operator: sign === "!=" ? "NotIn" : "In", values: [value] };
  const [, among, how, list = ""] = AMONG.exec(word) ?? [];
  if (among !== undefined) {
    return { key: among, operator: how === "in" ? "In" : "NotIn", values: list.split(",").map((one) => one.trim()) };
  }
  const forms = "KEY=VALUE, KEY!=VALUE, KEY in (VALUE,VALUE), KEY notin (VALUE,VALUE), KEY or !KEY";
  throw new UsageError(`Cannot read ${JSON.stringify(word)}: ${forms} is needed`);
}
