import { type Registry, RESOURCE_TYPES } from "../../envoy/mod.ts";
import { type Resource, type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import type { Layer } from "../../xds/mod.ts";
import { boundPorts } from "./bound_ports.ts";
import type { EndpointsBy } from "./cluster.ts";
import { type Collision, type Merged, type OwnedUnit, portWords } from "./merge.ts";
import type { MeshUnit } from "./unit.ts";

/** The type URLs of what units are made of. */
export const [LDS, CDS, EDS] = ["LDS", "CDS", "EDS"].map((short) =>
  RESOURCE_TYPES.find((type) => type.short === short)!.typeUrl // the table has them
) as [string, string, string];

/** Options of {@linkcode PodLayer}. */
export interface PodLayerOptions {
  readonly registry: Registry;
  readonly endpointsBy: EndpointsBy;
}

/** What the VirtualServices of a pod give to its Envoy, besides what an EnvoyConfig may give. Immutable. */
export class PodLayer implements Layer {
  readonly #merged: Merged;
  readonly #options: PodLayerOptions;
  readonly #beside = new WeakMap<Snapshot, Merged>();
  readonly #over = new WeakMap<Snapshot, Snapshot>();
  #alone: Snapshot | undefined;

  constructor(merged: Merged, options: PodLayerOptions) {
    this.#merged = merged;
    this.#options = options;
  }

  /** The same object for all pods that have this layer. */
  over(base: Snapshot | undefined, previous: Snapshot | undefined): Snapshot {
    if (!base) return this.#alone ??= this.#make(base, previous);
    let known = this.#over.get(base);
    if (!known) this.#over.set(base, known = this.#make(base, previous));
    return known;
  }

  /** What is served beside an EnvoyConfig, whose names and ports go before ours. */
  beside(base: Snapshot | undefined): Merged {
    if (!base) return this.#merged;
    let known = this.#beside.get(base);
    if (!known) this.#beside.set(base, known = this.#without(base));
    return known;
  }

  /** What a unit is made of for these clients. */
  resourcesOf(unit: MeshUnit): readonly Resource[] {
    return resourcesOf(unit, this.#options.endpointsBy);
  }

  #make(base: Snapshot | undefined, previous: Snapshot | undefined): Snapshot {
    const resources = this.beside(base).kept.flatMap(({ unit }) => this.resourcesOf(unit));
    if (!base) return snapshotOf(resources, previous ? { previous } : {});
    return resources.length === 0 ? base : combined(base, resources, previous);
  }

  #without(base: Snapshot): Merged {
    const listeners = base.types.get(LDS)?.resources ?? new Map<string, Resource>();
    const clusters = base.types.get(CDS)?.resources ?? new Map<string, Resource>();
    const ports = new Set([...listeners.values()].flatMap((one) => boundPorts(one, this.#options.registry)));
    const kept: OwnedUnit[] = [];
    const collisions: Collision[] = [];
    for (const owned of this.#merged.kept) {
      const { owner, unit } = owned;
      const { index, name, protocol, port, cluster } = unit.entry;
      const what = listeners.has(name)
        ? `listener name ${JSON.stringify(name)}`
        : ports.has(`${protocol} ${port}`)
        ? portWords(unit)
        : clusters.has(cluster.name) || base.types.get(EDS)?.resources.has(cluster.name)
        ? `cluster name ${JSON.stringify(cluster.name)}`
        : undefined;
      if (what === undefined) kept.push(owned);
      else collisions.push({ owner, index, what });
    }
    return collisions.length === 0 ? this.#merged : { kept, collisions: [...this.#merged.collisions, ...collisions] };
  }
}

/** What a unit is made of, for clients of a sort. */
export function resourcesOf({ listener, cluster, eds }: MeshUnit, endpointsBy: EndpointsBy): Resource[] {
  if (!eds) return [listener, cluster];
  return [listener, endpointsBy === "ads" ? cluster : eds.ownStream, eds.endpoints];
}

/** The revision stays that of the EnvoyConfig, for that is what it says of the clients that took it. */
function combined(base: Snapshot, resources: readonly Resource[], previous: Snapshot | undefined): Snapshot {
  const touched = new Set(resources.map(({ typeUrl }) => typeUrl));
  const beside = [...touched].flatMap((typeUrl) => [...base.types.get(typeUrl)?.resources.values() ?? []]);
  const { types } = snapshotOf([...beside, ...resources], previous ? { previous } : {});
  return { revision: base.revision, types: new Map([...base.types, ...types].sort(([a], [b]) => (a < b ? -1 : 1))) };
}
