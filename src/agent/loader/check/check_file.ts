import type { Finding, PathSegment } from "../../../base/mod.ts";
import { parseYaml } from "../../../base/yaml/mod.ts";
import type { Verdict } from "../verdict.ts";
import { isResponse } from "./is_response.ts";
import { readResponse } from "./read_response.ts";

/** Options of {@linkcode checkFile}. */
export interface CheckOptions {
  /** Whether a response without resources is meant; else it is an error, because it removes all that Envoy has of a type. */
  readonly allowEmpty: boolean;
}

/**
 * Looks at a file as Envoy would: YAML or JSON by its extension, anything else as JSON if it is a discovery response. What is no
 * discovery response (a certificate, a script, a list of words) is none of our business beyond its syntax.
 */
export function checkFile(path: string, bytes: Uint8Array, options: CheckOptions): Verdict {
  const extension = /\.(yaml|yml|json)$/.exec(path)?.[1];
  const text = decode(bytes);
  if (extension === undefined) {
    const value = text === undefined ? undefined : jsonOf(text);
    return isResponse(value) && Object.hasOwn(value, "resources") ? readResponse(value, options) : OTHER;
  }
  if (text === undefined) return bad("it is not UTF-8", "encoding");
  if (extension === "json" && jsonOf(text) === undefined && text.trim() !== "") {
    const { findings } = parseYaml(text, path);
    return { kind: "other", findings: findings.some(isError) ? findings : [problem("it is not JSON", "syntax")] };
  }
  const { documents, findings } = parseYaml(text, path);
  if (findings.some(isError)) return { kind: "other", findings };
  const [document, second] = documents;
  if (!document) return bad("it is empty, which Envoy refuses", "empty");
  if (!isResponse(document.value)) return { kind: "other", findings };
  if (second) return bad("it has several documents; Envoy reads one", "documents");
  const verdict = readResponse(document.value, options);
  const placed = verdict.findings.map((finding) => place(finding, document.positionOf(finding.path)));
  return { ...verdict, findings: [...findings, ...placed] };
}

const OTHER: Verdict = { kind: "other", findings: [] };

function bad(message: string, rule: string): Verdict {
  return { kind: "other", findings: [problem(message, rule)] };
}

function problem(message: string, rule: string, path: readonly PathSegment[] = []): Finding {
  return { severity: "error", path, message, rule };
}

function place(finding: Finding, source: Finding["source"]): Finding {
  return source ? { ...finding, source } : finding;
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
