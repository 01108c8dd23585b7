/**
 * Where we are stricter or laxer than other implementations of proto3 JSON, and why.
 * @module
 */
import type { Finding } from "../../src/base/mod.ts";

const STRICTER: readonly { readonly rule: string; readonly message: RegExp; readonly why: string }[] = [
  { rule: "wrong-type", message: /^expected a type URL/, why: "Envoy refuses an Any whose type URL has no slash" },
  { rule: "wrong-type", message: /^expected .*, found null$/, why: "a wrapper inside an Any needs a value, as in Go" },
];

const LAXER: readonly { readonly error: RegExp; readonly json: RegExp; readonly why: string }[] = [
  {
    error: /oneof set multiple times/,
    json: /null/,
    why: "a field that is null is absent, so another of its oneof may be set, as in Go",
  },
  {
    error: /1e2 out of range/,
    json: /"1e2"/,
    why: "@bufbuild/protobuf takes no exponent in a quoted 64-bit integer, the specification and Go do",
  },
];

/** Whether all that we refuse about a value is known to be taken by others. */
export function knownStricter(findings: readonly Finding[]): boolean {
  return findings.every((f) => STRICTER.some(({ rule, message }) => f.rule === rule && message.test(f.message)));
}

/** Whether the other's error is known to be one that we do not share. */
export function knownLaxer(error: string, json: unknown): boolean {
  const text = JSON.stringify(json);
  return LAXER.some((known) => known.error.test(error) && known.json.test(text));
}
