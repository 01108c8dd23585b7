import type { Pod, VirtualService } from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { envoyRegistry, type Registry } from "../../envoy/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { Collision, Merged } from "./merge.ts";
import { MeshWorld } from "./world.ts";

/** What {@linkcode planVirtualServices} looks at. */
export interface MeshInputs {
  readonly virtualServices: readonly VirtualService[];
  readonly pods: readonly Pod[];
}

/** What came of one VirtualService. */
export interface PlannedService {
  /** `NAMESPACE/NAME` of the pods that it selects, sorted. */
  readonly pods: readonly string[];
  /** Its entries that are left out somewhere, each once. */
  readonly collisions: readonly Collision[];
  readonly findings: readonly Finding[];
}

/** What {@linkcode planVirtualServices} finds, by `NAMESPACE/NAME`. */
export interface MeshPlan {
  readonly pods: ReadonlyMap<string, Merged>;
  readonly virtualServices: ReadonlyMap<string, PlannedService>;
}

/** What the Envoy of each pod gets of all VirtualServices. Pure: same objects, same plan, whatever their order. */
export function planVirtualServices(
  { virtualServices, pods }: MeshInputs,
  registry: Registry = envoyRegistry(),
): MeshPlan {
  const world = new MeshWorld(registry);
  for (const object of [...pods, ...virtualServices]) {
    world.take({ type: "added", object: object as unknown as WatchedObject }); // of those kinds
  }
  const changes = world.update();
  const planned = [...world.services()].map((service): [string, PlannedService] => {
    const selected = [...service.pods].sort();
    const collisions = selected.flatMap((pod) =>
      world.mergedOf(pod).collisions.filter(({ owner }) => owner === service.id)
    );
    const once = new Map(collisions.map((one) => [JSON.stringify(one), one]));
    return [service.id, { pods: selected, collisions: [...once.values()], findings: service.findings }];
  });
  const inOrder = <T>(entries: Iterable<[string, T]>) => new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  return { pods: inOrder(changes.pods), virtualServices: inOrder(planned) };
}
