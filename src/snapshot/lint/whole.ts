import type { ReadableSpec } from "../../api/mod.ts";
import type { Finding } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import type { BuiltItem } from "../build.ts";
import type { CompiledSpec } from "../compiled_spec.ts";
import { definedNames } from "./names.ts";
import { danglingReferences } from "./references.ts";
import { unusedResources } from "./unused.ts";

/** An EnvoyConfig that was read and built with `examine`. */
export interface WholeConfig {
  /** As it came. */
  readonly object: unknown;
  readonly readable: ReadableSpec;
  readonly compiled: CompiledSpec;
  readonly items: readonly BuiltItem[];
}

/** What the look at a whole config needs to know. */
export interface WholeOptions {
  readonly registry: Registry;
  /** Clusters that the bootstrap has; none when absent. */
  readonly staticClusters?: readonly string[] | undefined;
  /** Whether a reference to nothing is an error; false when absent. */
  readonly strict?: boolean | undefined;
  /** Whether the Secrets and slices are not yet looked at; false when absent. */
  readonly sourcesComeLater?: boolean | undefined;
}

/**
 * What no item tells by itself: names asked for that nobody gives, names that nobody asks for, settings that bite, and the few
 * things beyond the rules of the API that Envoy always refuses, which are errors. Paths count from the spec's items.
 */
export function lintWhole(
  { object, readable: { lost }, compiled, items }: WholeConfig,
  { registry, staticClusters = [], strict = false, sourcesComeLater = false }: WholeOptions,
): Finding[] {
  const findings: Finding[] = [];
  for (const { item, examined, resource } of items) {
    for (const trap of examined?.traps ?? []) {
      // What seems to be missing may be what could not be read.
      if (resource || trap.severity === "warning") findings.push({ ...trap, path: [...item.valuePath, ...trap.path] });
    }
  }
  const names = definedNames(compiled, registry, lost.flatMap((place) => nameOfLost(object, place)));
  findings.push(...danglingReferences(items, { names, staticClusters, strict }));
  // What could not be read may ask for anything.
  const broken = items.some(({ item, resource }) => !resource && item.sourceKey === undefined);
  if (lost.length === 0 && items.length === compiled.items.length && !broken) {
    findings.push(...unusedResources(items, { sourcesComeLater }));
  }
  return findings;
}

/** An item that could not be made out still has a name, as a rule. */
function nameOfLost(object: unknown, place: number): string[] {
  const item = (object as { spec: { resources: readonly unknown[] } }).spec.resources[place]; // it was counted there
  const value = isRecord(item) ? item["value"] : undefined;
  if (!isRecord(value)) return [];
  return [value["name"], value["cluster_name"], value["clusterName"]].filter((name) => typeof name === "string");
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
