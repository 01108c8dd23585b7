import { checkSchema, EndpointSlice, type ReadableSpec, readEnvoyConfig, Secret } from "../api/mod.ts";
import { Pod, readVirtualService } from "../api/virtual_service/mod.ts";
import { type Finding, hasErrors } from "../base/mod.ts";
import type { Registry } from "../envoy/mod.ts";
import { buildSnapshot } from "./build.ts";
import { compileSpec } from "./compiled_spec.ts";
import { lintWhole } from "./lint/whole.ts";
import type { ItemCache } from "./read_item.ts";
import { inObject } from "./places.ts";
import { sourcesOf } from "./resolve/sources.ts";

/** Outcome of {@linkcode admitEnvoyConfig}. */
export interface Admitted {
  /** An error among them: the object is not to be stored. */
  readonly findings: readonly Finding[];
  /** For the next call, so that what did not change is not read again. */
  readonly items: ItemCache;
}

/**
 * What there is to say about an EnvoyConfig before it is stored: structure, item rules, and every `value` against Envoy's own
 * messages and their rules, and the whole: what Envoy always refuses is an error, names that nobody gives or asks for and
 * settings that bite are warnings. Objects it names need not exist yet. Duplicates are refused when they are introduced; what
 * `stored` already had is let through with a warning. `staticClusters` are those of the bootstrap.
 */
export function admitEnvoyConfig(
  object: unknown,
  { registry, stored, items, staticClusters }: {
    registry: Registry;
    stored?: unknown;
    items?: ItemCache;
    staticClusters?: readonly string[];
  },
): Admitted {
  const read = readEnvoyConfig(object);
  if (!read.readable) return { findings: read.findings, items: items ?? new Map() };
  const { readable } = read;
  const { places } = readable;
  const duplicatesBefore = new Set(stored === undefined ? [] : messagesOf(duplicates(stored, { registry, items })));
  const { compiled, ...built } = build(readable, { registry, items });
  const whole = lintWhole({ object, readable, compiled, items: built.built }, {
    registry,
    staticClusters,
    sourcesComeLater: true,
  });
  const findings = [...built.findings.filter(({ rule }) => rule !== "item"), ...whole].map((finding): Finding => ({
    ...finding,
    path: inObject(finding.path, places),
    ...(finding.rule === "duplicate" && !duplicatesBefore.has(finding.message) ? { severity: "error" } : {}),
  }));
  return { findings: [...read.findings, ...findings], items: built.cache.items };
}

/**
 * What there is to say about an object of another kind before it is stored; of kinds that nobody asks for nothing is said. What an
 * API server or Envoy would refuse is an error; no finding shows a value of a Secret. `staticClusters` are those of the bootstrap.
 */
export function admitObject(
  object: { readonly kind: string },
  { staticClusters = [] }: { staticClusters?: readonly string[] } = {},
): readonly Finding[] {
  switch (object.kind) {
    case "Secret": {
      const findings = checkSchema(Secret, object);
      return hasErrors(findings) ? findings : [...findings, ...base64Findings(object as unknown as Secret)]; // just checked
    }
    case "EndpointSlice":
      return checkSchema(EndpointSlice, object);
    case "Pod":
      return checkSchema(Pod, object);
    case "VirtualService":
      return readVirtualService(object, { staticClusters }).findings;
    default:
      return [];
  }
}

function base64Findings({ data = {} }: Secret): Finding[] {
  return Object.entries(data).filter(([, value]) => !isBase64(value)).map(([key]) => ({
    severity: "error",
    path: ["data", key],
    message: "must be base64; text goes into stringData",
    rule: "base64",
  }));
}

/** As an API server sees it: line breaks do not count, and null is empty. */
function isBase64(text: string | null): boolean {
  try {
    return Uint8Array.fromBase64(text ?? "").length >= 0;
  } catch {
    return false;
  }
}

const NOTHING = sourcesOf([], []);

function build(
  { spec, namespace }: ReadableSpec,
  { registry, items }: { registry: Registry; items: ItemCache | undefined },
) {
  const previous = items ? { previous: { cache: { items, sources: new Map() } } } : {};
  const compiled = compileSpec(spec, namespace);
  return { compiled, ...buildSnapshot({ spec: compiled, sources: NOTHING, ...previous }, { registry, examine: true }) };
}

function duplicates(stored: unknown, options: { registry: Registry; items: ItemCache | undefined }): Finding[] {
  const { readable } = readEnvoyConfig(stored);
  return readable ? build(readable, options).findings.filter((finding) => finding.rule === "duplicate") : [];
}

function messagesOf(findings: readonly Finding[]): string[] {
  return findings.map((finding) => finding.message);
}
