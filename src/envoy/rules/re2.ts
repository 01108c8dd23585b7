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

/** Instructions that Envoy's RE2 has before and after those that the library counts. */
const EXTRA_INSTRUCTIONS = 2;
/** `\C`, any byte, which the library does not know; and code points beyond Latin-1, which Envoy's mode does not. */
const ANY_BYTE = /(?<!\\)((?:\\\\)*)\\C/g;
const WIDE_CODE_POINT = /(?<!\\)(?:\\\\)*\\x\{0*[1-9a-fA-F][0-9a-fA-F]{2,}\}/;

/** What makes Envoy refuse an expression of a user; undefined when nothing does. */
export function re2Problem(expression: string): string | undefined {
  const wide = WIDE_CODE_POINT.exec(expression);
  if (wide) return `invalid escape sequence: ${wide[0]}`;
  try {
    RE2JS.compile(expression.replace(ANY_BYTE, "$1."));
    return undefined;
  } catch (thrown) {
    return String((thrown as Error).message).replace(/^error parsing regexp: /, "").replaceAll("`", ""); // it throws Errors only
  }
}

/** The least number of instructions of the expression in Envoy's RE2; classes that take several bytes cost more there. */
export function re2Size(expression: string): number {
  return RE2JS.compile(expression.replace(ANY_BYTE, "$1.")).programSize() + EXTRA_INSTRUCTIONS;
}
