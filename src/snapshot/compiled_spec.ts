import type { EnvoyConfigSpec } from "../api/mod.ts";
import type { Finding } from "../base/mod.ts";
import { revisionVersion } from "./revision_version.ts";
import { secretNames } from "./secret_names.ts";
import { type SpecItem, specItems } from "./spec_items.ts";
import { sourceKey, type UsedSources, usedSources } from "./used_sources.ts";

/** An item and what follows from the spec alone. */
export interface CompiledItem extends SpecItem {
  /** Name of the xDS secret, for items that make one. */
  readonly secretName?: string;
  /** Names the resource that is made from other objects; absent when the item stands for itself. */
  readonly sourceKey?: string;
}

/** A spec, with everything that follows from it alone. */
export interface CompiledSpec {
  readonly nodeId: string;
  readonly namespace: string;
  readonly version: string;
  readonly items: readonly CompiledItem[];
  /** About texts that could not be read. */
  readonly findings: readonly Finding[];
  readonly used: UsedSources;
  /** The source keys of all items: what may have to be loaded from what was kept. */
  readonly sourceKeys: readonly string[];
}

/** Objects of the store do not change: however often endpoints change, their config is compiled once. */
const COMPILED = new WeakMap<EnvoyConfigSpec, CompiledSpec>();

/** Compiles the spec of an EnvoyConfig in a namespace. */
export function compileSpec(spec: EnvoyConfigSpec, namespace: string): CompiledSpec {
  const known = COMPILED.get(spec);
  if (known?.namespace === namespace) return known;
  const made = compile(spec, namespace);
  COMPILED.set(spec, made);
  return made;
}

function compile(spec: EnvoyConfigSpec, namespace: string): CompiledSpec {
  const { items, findings } = specItems(spec);
  const resources = items.map(({ item }) => item);
  const names = secretNames(resources);
  const compiled = items.map((specItem, index): CompiledItem => {
    const secretName = names.get(index);
    const key = sourceKey(namespace, specItem.item, secretName);
    return {
      ...specItem,
      ...(secretName === undefined ? {} : { secretName }),
      ...(key === undefined ? {} : { sourceKey: key }),
    };
  });
  return {
    nodeId: spec.nodeID,
    namespace,
    version: revisionVersion(spec.nodeID, resources),
    items: compiled,
    findings,
    used: usedSources(resources),
    sourceKeys: [...new Set(compiled.flatMap((item) => item.sourceKey ?? []))],
  };
}
