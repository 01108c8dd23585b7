import type { MeshCluster, VirtualServiceSpec } from "../../api/virtual_service/mod.ts";
import { canonicalJson, type Finding } from "../../base/mod.ts";

/** A listener of a VirtualService and the cluster behind it, as they are asked for. */
export interface MeshEntry {
  /** Index in `spec.listeners`. */
  readonly index: number;
  readonly name: string;
  readonly protocol: "udp" | "tcp";
  readonly port: number;
  readonly cluster: MeshCluster;
}

/** What a spec asks for, and what is wrong with the rest. */
export interface MeshEntries {
  readonly entries: readonly MeshEntry[];
  readonly findings: readonly Finding[];
}

/**
 * The entries of a spec, but those of `broken` listeners. One that has neither protocol, or both, is left out: what it asks for cannot
 * be made out. Those that are as they were among `previous` keep their identity, and what was made of them stands.
 */
export function entriesOf(
  { listeners = [] }: VirtualServiceSpec,
  { broken = new Set(), previous = [] }: { broken?: ReadonlySet<number>; previous?: readonly MeshEntry[] } = {},
): MeshEntries {
  const known = new Map(previous.map((entry) => [entry.index, entry]));
  const entries: MeshEntry[] = [];
  const findings: Finding[] = [];
  for (const [index, { name, udp, tcp }] of listeners.entries()) {
    if (broken.has(index)) continue;
    const transport = udp ?? tcp;
    if (transport && !(udp && tcp)) {
      const { port, cluster } = transport;
      const entry: MeshEntry = { index, name, protocol: udp ? "udp" : "tcp", port, cluster };
      const before = known.get(index);
      entries.push(before && canonicalJson(before) === canonicalJson(entry) ? before : entry);
    } else {
      findings.push({
        severity: "error",
        path: ["spec", "listeners", index],
        message: `exactly one of udp and tcp must be set${transport ? ", not both" : ""}; the listener is left out`,
        rule: "one-protocol",
      });
    }
  }
  return { entries, findings };
}
