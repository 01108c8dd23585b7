import type { CompiledSpec } from "../compiled_spec.ts";
import { type ItemType, type Registry, resourceTypeOfItem } from "../../envoy/mod.ts";
import { slicesSource } from "../used_sources.ts";

/** The names that a spec defines, whether or not the resources behind them can be read. */
export interface DefinedNames {
  has(item: ItemType, name: string): boolean;
  /** Names of one type, for suggestions. */
  of(item: ItemType): readonly string[];
}

/** Collects the names of all items. `others` are names whose type nobody knows; they count for every type. */
export function definedNames(spec: CompiledSpec, registry: Registry, others: readonly string[]): DefinedNames {
  const byType = new Map<string, Set<string>>();
  for (const { item, secretName } of spec.items) {
    const name = secretName ?? slicesSource(item)?.clusterName ?? nameIn(item.value, item.type, registry);
    if (name === undefined) continue;
    let names = byType.get(item.type);
    if (!names) byType.set(item.type, names = new Set());
    names.add(name);
  }
  const unknown = new Set(others);
  return {
    has: (item, name) => byType.get(item)?.has(name) === true || unknown.has(name),
    of: (item) => [...byType.get(item) ?? []],
  };
}

function nameIn(value: unknown, item: string, registry: Registry): string | undefined {
  const type = resourceTypeOfItem(item);
  if (!type || typeof value !== "object" || value === null) return undefined;
  const camel = registry.message(type.message)?.byName.get(type.nameField)?.jsonName ?? type.nameField;
  const members = value as Readonly<Record<string, unknown>>; // an object, just checked
  const name = members[type.nameField] ?? members[camel];
  return typeof name === "string" ? name : undefined;
}
