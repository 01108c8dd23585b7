import { readEnvoyConfig } from "../../api/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { buildSnapshot, type BuiltItem, type MissingSource } from "../build.ts";
import { compileSpec } from "../compiled_spec.ts";
import { inObject } from "../places.ts";
import type { CheckKeyPair } from "../resolve/secrets.ts";
import type { Sources } from "../resolve/sources.ts";
import { lintWhole, type WholeOptions } from "./whole.ts";

/** Options of {@linkcode inspectEnvoyConfig}. */
export interface InspectOptions extends Omit<WholeOptions, "sourcesComeLater"> {
  /** The objects of the config's namespace that are at hand. */
  readonly sources: (namespace: string) => Sources;
  readonly checkKeyPair?: CheckKeyPair;
  /** Whether a Secret that is not at hand will be there, so that nothing is missing. */
  readonly willExist?: (namespace: string, secret: string) => boolean;
}

/** All there is to say about one EnvoyConfig. */
export interface Inspected {
  /** Paths count from the object. */
  readonly findings: readonly Finding[];
  /** What could be made out; `undefined` when that is nothing. */
  readonly nodeId?: string;
  readonly namespace?: string;
  /** Its items, with the resources that could be read. */
  readonly built: readonly BuiltItem[];
}

/**
 * Looks at an EnvoyConfig as a whole: structure, item rules, every `value` against Envoy's messages and their rules, names
 * given twice, names asked for by nobody and names that nobody gives, and settings that bite. All in one go: a mistake in one
 * item hides nothing that is wrong with another.
 */
export function inspectEnvoyConfig(object: unknown, options: InspectOptions): Inspected {
  const read = readEnvoyConfig(object);
  if (!read.readable) return { findings: read.findings, built: [] };
  const { readable: { spec, namespace, places } } = read;
  const { registry, checkKeyPair } = options;
  const compiled = compileSpec(spec, namespace);
  const findings: Finding[] = [];
  const built = buildSnapshot(
    { spec: compiled, sources: options.sources(namespace) },
    { registry, examine: true, ...(checkKeyPair ? { checkKeyPair } : {}) },
  );
  const items = built.built;
  findings.push(...built.findings.flatMap(asError));
  const missing = built.missing.filter(({ secret }) => secret === undefined || !options.willExist?.(namespace, secret));
  findings.push(...built.sourceFindings.filter((finding) => !isMissing(finding)), ...missing.map(missingFinding));
  findings.push(...lintWhole({ object, readable: read.readable, compiled, items }, options));
  const placed = findings.map((finding) => ({ ...finding, path: inObject(finding.path, places) }));
  return {
    findings: [...read.findings, ...placed],
    built: items.map((entry) => ({ ...entry, item: { ...entry.item, path: inObject(entry.item.path, places) } })),
    ...(spec.nodeID === "" ? {} : { nodeId: spec.nodeID }),
    namespace,
  };
}

/** A name given twice is refused when it is introduced; of an item without its value the structure was told already. */
function asError(finding: Finding): Finding[] {
  if (finding.rule === "item") return [];
  return [finding.rule === "duplicate" ? { ...finding, severity: "error" } : finding];
}

function isMissing({ rule }: Finding): boolean {
  return rule === "secret-not-found" || rule === "secret-not-usable" || rule === "endpoints-not-found";
}

/** The objects at hand need not be all there are, so one that is missing is a warning; one that is no good is an error. */
function missingFinding({ kind, message, path }: MissingSource): Finding {
  if (kind === "secret-not-usable") return { severity: "error", path, message, rule: kind };
  const told = message.replace(/ does not exist$/, " is not among the given files");
  return { severity: "warning", path, message: `${told}; it may be elsewhere`, rule: kind };
}
