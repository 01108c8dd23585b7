import type { ReadContext, Spot } from "../read/context.ts";
import type { Plain } from "../schema/mod.ts";
import { judgeRe2 } from "./re2.ts";

/** Messages whose field `regex` Envoy compiles when it takes the config. */
const REGEX_MATCHERS = new Set(["envoy.type.matcher.v3.RegexMatcher", "xds.type.matcher.v3.RegexMatcher"]);
/** Default of Envoy's runtime key `re2.max_program_size.error_level`. */
const MAX_PROGRAM_SIZE = 100;
const MAX_CHECKED = 10_000;

/** Checks an expression of a user as Envoy 1.40 does: RE2 syntax is an error, a program too large for its default a warning. */
export function checkRegex(
  context: ReadContext,
  spot: Spot,
  { type, message }: { type: string; message: Plain },
): void {
  const { regex } = message;
  if (!REGEX_MATCHERS.has(type) || typeof regex !== "string" || regex === "") return;
  const at: Spot = { value: regex, up: spot, segment: "regex" };
  if (regex.length > MAX_CHECKED) {
    context.warn(at, `an expression of ${regex.length} characters is not checked`, { rule: "regex" });
    return;
  }
  const { problem, size } = judgeRe2(regex);
  if (problem !== undefined) {
    context.error(at, `${context.quote(regex)} is no RE2 expression: ${problem}`, { rule: "regex" });
    return;
  }
  const limit = maxProgramSize(message);
  if (size <= limit) return;
  context.warn(
    at,
    `takes ${size} RE2 instructions or more, Envoy refuses more than ${limit} unless its runtime allows it`,
    {
      rule: "regex-size",
    },
  );
}

/** `google_re2.max_program_size` (deprecated) goes before the default. */
function maxProgramSize(message: Plain): number {
  const engine = message["google_re2"] as { max_program_size?: { value?: number } } | undefined; // GoogleRE2
  return engine?.max_program_size === undefined ? MAX_PROGRAM_SIZE : engine.max_program_size.value ?? 0;
}
