import { RE2JS } from "re2js";

/**
 * A test of whether a text as a whole matches an RE2 expression, as Envoy's rules and `safe_regex` do. A RegExp would differ:
 * `\s` and `.` mean other characters, and it takes forms that RE2 does not.
 *
 * @throws {Error} when the expression is not valid RE2
 */
export function compileRe2(expression: string): (text: string) => boolean {
  const pattern = RE2JS.compile(expression);
  return (text) => pattern.matches(text);
}

/** What Envoy will say about an expression of a user. */
export interface Re2Verdict {
  /** Why Envoy refuses it; undefined when it does not. */
  readonly problem?: string;
  /** The least number of instructions in Envoy's RE2; classes that take several bytes cost more there. */
  readonly size: number;
}

/** Instructions that Envoy's RE2 has before and after those that the library counts. */
const EXTRA_INSTRUCTIONS = 2;
/** `\C`, any byte, which the library does not know; and code points beyond Latin-1, which Envoy's mode does not. */
const ANY_BYTE = /(?<!\\)((?:\\\\)*)\\C/g;
const WIDE_CODE_POINT = /(?<!\\)(?:\\\\)*\\x\{0*[1-9a-fA-F][0-9a-fA-F]{2,}\}/;

/** Verdicts of expressions met before: configs are read again and again, and compiling costs more than all else. */
const verdicts = new Map<string, Re2Verdict>();
const MAX_VERDICTS = 2000;
const MAX_KEPT_LENGTH = 500;

/** Judges an expression as Envoy 1.40 does when it takes a config. */
export function judgeRe2(expression: string): Re2Verdict {
  const known = verdicts.get(expression);
  if (known) return known;
  const verdict = judge(expression);
  if (expression.length > MAX_KEPT_LENGTH) return verdict;
  if (verdicts.size >= MAX_VERDICTS) verdicts.clear();
  verdicts.set(expression, verdict);
  return verdict;
}

function judge(expression: string): Re2Verdict {
  const wide = WIDE_CODE_POINT.exec(expression);
  if (wide) return { problem: `invalid escape sequence: ${wide[0]}`, size: 0 };
  try {
    return { size: RE2JS.compile(expression.replace(ANY_BYTE, "$1.")).programSize() + EXTRA_INSTRUCTIONS };
  } catch (thrown) {
    const text = (thrown as Error).message; // the library throws nothing but Errors
    return { problem: text.replace(/^error parsing regexp: /, "").replaceAll("`", ""), size: 0 };
  }
}
