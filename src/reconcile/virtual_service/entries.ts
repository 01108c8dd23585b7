import { MESH_ANNOTATIONS, type MeshCluster, readVirtualService } from "../../api/virtual_service/mod.ts";
import { canonicalJson, type Finding } from "../../base/mod.ts";
import { BOOTSTRAP } from "../../bootstrap/mod.ts";
import { keyOf, type WatchedObject } from "../engine/object_source.ts";

/** A listener of a VirtualService and the cluster behind it, as they are asked for. */
export interface MeshEntry {
  /** Index in `spec.listeners`. */
  readonly index: number;
  readonly name: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
  readonly cluster: MeshCluster;
}

/** What a VirtualService asks for, as far as that can be made out. */
export interface MeshEntries {
  /** Labels of the pods that it is for; none when nothing can be made out. */
  readonly selector: Readonly<Record<string, string>>;
  /** Where its selectors reach; `undefined` for every namespace. */
  readonly reach: string | undefined;
  readonly entries: readonly MeshEntry[];
  readonly findings: readonly Finding[];
}

/**
 * Reads a stored VirtualService. It may be older than the rules: a listener that breaks one is left out, and the others are served. Entries
 * that are as they were among `previous` keep their identity, and what was made of them stands.
 */
export function entriesOf(object: WatchedObject, previous: readonly MeshEntry[] = []): MeshEntries {
  const { virtualService, places, findings } = readVirtualService(object, { staticClusters: [BOOTSTRAP.cluster] });
  const { annotations } = object.metadata;
  const reach = annotations?.[MESH_ANNOTATIONS.scope] === "cluster" ? undefined : keyOf(object).namespace;
  const { selector = {}, listeners = [] } = virtualService?.spec ?? {};
  const known = new Map(previous.map((entry) => [entry.index, entry]));
  const entries = listeners.map(({ name, udp, tcp }, at): MeshEntry => {
    const { port, cluster } = (udp ?? tcp)!; // the check lets nothing pass that has neither
    const entry: MeshEntry = { index: places[at] ?? at, name, protocol: udp ? "udp" : "tcp", port, cluster };
    const before = known.get(entry.index);
    return before && canonicalJson(before) === canonicalJson(entry) ? before : entry;
  });
  return { selector, reach, entries, findings };
}
