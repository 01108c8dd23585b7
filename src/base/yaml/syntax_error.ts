import type { ErrorCode } from "yaml";

/** Words of our own where the library would quote the text, which may be the inside of a Secret. */
const OWN_WORDS: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: "an anchor or alias has no proper name, or the anchor is not set before",
  BAD_DIRECTIVE: "this directive is not understood",
  BAD_DQ_ESCAPE: "this escape sequence is not known in double quotes",
  BAD_COLLECTION_TYPE: "this tag does not fit a mapping or list",
  IMPOSSIBLE: "this cannot be read as YAML",
  MULTIPLE_DOCS: "another document starts here",
  NON_STRING_KEY: "a key must be a plain word",
  TAG_RESOLVE_FAILED: "this tag cannot be resolved",
  UNEXPECTED_TOKEN: "unexpected text",
};

/** The library's errors whose text is fixed, or names punctuation only. */
const FIXED_TEXT: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "ALIAS_PROPS",
  "BAD_INDENT",
  "BAD_PROP_ORDER",
  "BAD_SCALAR_START",
  "BLOCK_AS_IMPLICIT_KEY",
  "BLOCK_IN_FLOW",
  "KEY_OVER_1024_CHARS",
  "MISSING_CHAR",
  "MULTILINE_IMPLICIT_KEY",
  "MULTIPLE_ANCHORS",
  "MULTIPLE_TAGS",
  "TAB_AS_INDENT",
]);

/** What to tell about a syntax error without showing any of the text around it (I14). */
export function syntaxErrorMessage(code: ErrorCode, libraryText: string): string {
  const fixed = FIXED_TEXT.has(code) ? libraryText.split("\n")[0]!.replace(/[.:]$/, "") : undefined;
  if (fixed === undefined) return OWN_WORDS[code] ?? "this cannot be read as YAML";
  return fixed.charAt(0).toLowerCase() + fixed.slice(1);
}

/**
 * `key: "x"#comment` is no comment by the letter of YAML 1.2, but kubectl takes it for one and so do manifests in the wild;
 * the library reads it the same way and complains.
 */
export function isHarmless(code: ErrorCode, libraryText: string): boolean {
  return code === "MISSING_CHAR" && libraryText.startsWith("Comments must be separated");
}
