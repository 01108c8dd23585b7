import { Document, visit } from "yaml";
import { resolveScalar } from "./scalar.ts";

/**
 * A JSON value as block YAML that `parseYaml` and kubectl read back as the same value: strings such as `yes`, `010` or `<<`
 * are quoted. Without line folding, anchors or aliases. Ends with a line break.
 */
export function stringifyYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_key, node) {
      if (typeof node.value === "string" && needsQuotes(node.value)) node.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}

/** Whether the word would mean something else when written plainly. */
export function needsQuotes(text: string): boolean {
  const resolved = resolveScalar(text);
  return text === "<<" || "error" in resolved || resolved.value !== text;
}
