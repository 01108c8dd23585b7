import { type ParsedDocument, parseYaml } from "../../base/yaml/mod.ts";
import type { Finding } from "../../base/mod.ts";

/** One document of a text, with everything around it. */
export interface YamlPart {
  /** The line that divides it from the one before, as it was written; empty when there is none. */
  readonly head: string;
  readonly body: string;
  /** `undefined` when it is empty. */
  readonly document: ParsedDocument | undefined;
}

/**
 * The parts of a text, which put together are the text again, and what is wrong with it; places are those in the whole
 * text.
 */
export function yamlParts(text: string, file: string): { parts: readonly YamlPart[]; findings: readonly Finding[] } {
  const whole = parseYaml(text, file);
  if (whole.findings.some(({ severity }) => severity === "error")) return { parts: [], findings: whole.findings };
  let next = 0;
  const parts = text.split(/^(?=---(?:\s|$))/m).map((part) => {
    const head = /^---[ \t]*(?:#.*)?(?:\r?\n|$)/.exec(part)?.[0] ?? "";
    const body = part.slice(head.length);
    const filled = parseYaml(body, file).documents.length > 0;
    return { head, body, document: filled ? whole.documents[next++] : undefined };
  });
  return { parts, findings: whole.findings };
}
