import { canonicalJson } from "../../base/mod.ts";
import type { Hub } from "../../xds/mod.ts";
import { type ClientOfService, judge } from "./verdicts.ts";

/** What the Envoys connected to this replica make of VirtualServices, as of the last look. */
export class ClientsOfServices {
  readonly #hub: Pick<Hub, "seatsOf">;
  readonly #touched = new Set<string>(); // node ids whose Envoys have said something
  readonly #judged = new Map<string, Map<string, ClientOfService[]>>(); // by node id, by service
  readonly #nodesOf = new Map<string, Set<string>>(); // service → node ids

  constructor(hub: Pick<Hub, "seatsOf">) {
    this.#hub = hub;
  }

  /** What Envoys of a node id make of what they get may have changed. */
  touch(nodeId: string): void {
    this.#touched.add(nodeId);
  }

  /** Looks at the Envoys that were touched; gives the ids of the services of which there is something else to say. */
  look(): Set<string> {
    const changed = new Set<string>();
    for (const nodeId of this.#touched) {
      const before = this.#judged.get(nodeId) ?? new Map<string, ClientOfService[]>();
      const now = judge(nodeId, this.#hub.seatsOf(nodeId));
      if (now.size > 0) this.#judged.set(nodeId, now);
      else this.#judged.delete(nodeId);
      for (const id of new Set([...before.keys(), ...now.keys()])) {
        if (canonicalJson(before.get(id) ?? []) === canonicalJson(now.get(id) ?? [])) continue;
        this.#note(id, { nodeId, present: now.has(id) });
        changed.add(id);
      }
    }
    this.#touched.clear();
    return changed;
  }

  /** The Envoys that a VirtualService is on offer to, or would be. */
  of(id: string): ClientOfService[] {
    return [...this.#nodesOf.get(id) ?? []].sort().flatMap((nodeId) => this.#judged.get(nodeId)?.get(id) ?? []);
  }

  #note(id: string, { nodeId, present }: { nodeId: string; present: boolean }): void {
    const nodes = this.#nodesOf.get(id) ?? new Set();
    if (present) nodes.add(nodeId);
    else nodes.delete(nodeId);
    if (nodes.size > 0) this.#nodesOf.set(id, nodes);
    else this.#nodesOf.delete(id);
  }
}
