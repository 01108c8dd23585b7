import { shortHash } from "../base/hash/mod.ts";
import type { Resource } from "./resource.ts";

/** All resources of one type that a node may get, by name, in stable order. Immutable. */
export interface TypeSnapshot {
  readonly typeUrl: string;
  readonly resources: ReadonlyMap<string, Resource>;
  /** The version that the caller gave for the whole type; absent when versions are content hashes. */
  readonly givenVersion?: string;
}

/**
 * What one revision of a node's configuration says, checked and encoded. Immutable: a change is a new object, and parts that
 * did not change keep their identity, so that caches keyed by them stay warm.
 */
export interface Snapshot {
  /** Names the configuration for people and for ACK/NACK reports; equal snapshots may share it. */
  readonly revision: string;
  readonly types: ReadonlyMap<string, TypeSnapshot>;
}

/** Options of {@linkcode snapshotOf}. */
export interface SnapshotOptions {
  /** By default a hash over names and versions of all resources. */
  readonly revision?: string;
  /** Versions per type URL to be shown on the wire verbatim. */
  readonly versions?: ReadonlyMap<string, string>;
  /** The snapshot before: types whose resources are the same keep their identity. */
  readonly previous?: Snapshot;
}

/**
 * Gathers resources into a snapshot. Resources are sorted by name (the order of a map never reaches Envoy); of two with one
 * type and name the later wins.
 */
export function snapshotOf(resources: Iterable<Resource>, options: SnapshotOptions = {}): Snapshot {
  const byType = new Map<string, Map<string, Resource>>();
  for (const resource of resources) {
    let named = byType.get(resource.typeUrl);
    if (!named) byType.set(resource.typeUrl, named = new Map());
    named.set(resource.name, resource);
  }
  for (const typeUrl of options.versions?.keys() ?? []) if (!byType.has(typeUrl)) byType.set(typeUrl, new Map());
  const types = new Map<string, TypeSnapshot>();
  for (const typeUrl of [...byType.keys()].sort()) {
    const named = byType.get(typeUrl)!;
    const sorted = isSorted(named) ? named : new Map([...named].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
    const givenVersion = options.versions?.get(typeUrl);
    const made: TypeSnapshot = { typeUrl, resources: sorted, ...(givenVersion === undefined ? {} : { givenVersion }) };
    types.set(typeUrl, reuse(made, options.previous?.types.get(typeUrl)));
  }
  return { revision: options.revision ?? revisionOf(types), types };
}

/** The previous type snapshot when it says the same, so that nothing downstream is computed again. */
function reuse(made: TypeSnapshot, previous: TypeSnapshot | undefined): TypeSnapshot {
  if (!previous || previous.givenVersion !== made.givenVersion) return made;
  if (previous.resources.size !== made.resources.size) return made;
  for (const [name, resource] of made.resources) {
    if (previous.resources.get(name)?.version !== resource.version) return made;
  }
  return previous;
}

function isSorted(named: ReadonlyMap<string, Resource>): boolean {
  let last = "";
  for (const name of named.keys()) {
    if (name < last) return false;
    last = name;
  }
  return true;
}

function revisionOf(types: ReadonlyMap<string, TypeSnapshot>): string {
  const parts: string[] = [];
  for (const type of types.values()) {
    parts.push(type.typeUrl);
    for (const { name, version } of type.resources.values()) parts.push(name, version);
  }
  return shortHash(parts.map((part) => `${part.length}:${part}`).join(""));
}
