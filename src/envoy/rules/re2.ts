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
