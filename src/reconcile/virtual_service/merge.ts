import type { MeshUnit } from "./unit.ts";

/** What one VirtualService would give to a pod. */
export interface Contribution {
  /** `NAMESPACE/NAME` of it. */
  readonly owner: string;
  readonly units: readonly MeshUnit[];
}

/** A unit and whose it is. */
export interface OwnedUnit {
  readonly owner: string;
  readonly unit: MeshUnit;
}

/** An entry that is left out, because something it needs is taken. */
export interface Collision {
  readonly owner: string;
  /** Index in `spec.listeners`. */
  readonly index: number;
  /** What is taken, for people: `listener name "a"`. */
  readonly what: string;
  /** Who has it: the `NAMESPACE/NAME` of a VirtualService; absent when it is the EnvoyConfig. */
  readonly by?: string;
}

/** What all VirtualServices of a pod come to. */
export interface Merged {
  readonly kept: readonly OwnedUnit[];
  readonly collisions: readonly Collision[];
}

/**
 * Merges the VirtualServices of one pod, which are in order of age: of two that want the same listener name, port or cluster name the
 * older has it, and the younger goes without that entry alone. Two may share a cluster that is the same in both.
 */
export function mergeUnits(contributions: readonly Contribution[]): Merged {
  const listeners = new Map<string, string>();
  const ports = new Map<string, string>();
  const clusters = new Map<string, OwnedUnit>();
  const kept: OwnedUnit[] = [];
  const collisions: Collision[] = [];
  for (const { owner, units } of contributions) {
    for (const unit of units) {
      const { index, name, protocol, port, cluster } = unit.entry;
      const bound = `${protocol} ${port}`;
      const other = clusters.get(cluster.name);
      const taken: { what: string; by: string | undefined }[] = [
        { what: `listener name ${JSON.stringify(name)}`, by: listeners.get(name) },
        { what: portWords(unit), by: ports.get(bound) },
        {
          what: `cluster name ${JSON.stringify(cluster.name)}`,
          by: other && !sameCluster(other.unit, unit) ? other.owner : undefined,
        },
      ];
      const first = taken.find(({ by }) => by !== undefined);
      if (first?.by !== undefined) {
        collisions.push({ owner, index, what: first.what, by: first.by });
        continue;
      }
      listeners.set(name, owner);
      ports.set(bound, owner);
      if (!other) clusters.set(cluster.name, { owner, unit });
      kept.push({ owner, unit });
    }
  }
  return { kept, collisions };
}

/** A port as people write it. */
export function portWords({ entry: { protocol, port } }: MeshUnit): string {
  return `${protocol.toUpperCase()} port ${port}`;
}

function sameCluster(a: MeshUnit, b: MeshUnit): boolean {
  return a.cluster.version === b.cluster.version && a.eds?.endpoints.version === b.eds?.endpoints.version;
}
