import { type Pod, readyAddress } from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import type { MeshEntry } from "./entries.ts";

/** One endpoint of a cluster. */
export interface MeshAddress {
  /** IP address, or DNS name where Envoy resolves names. */
  readonly address: string;
  readonly port: number;
  readonly healthCheckPort?: number;
}

/** The endpoints of an entry. */
export interface FoundEndpoints {
  readonly addresses: readonly MeshAddress[];
  /** Paths count from the object. */
  readonly findings: readonly Finding[];
}

/**
 * Finds the endpoints of an entry; `select` gives the pods that carry all of these labels, where the VirtualService may reach. In order
 * of address, so that neither the order of pods nor that of endpoints shows; what is named twice is there once.
 */
export function findEndpoints(
  { index, protocol, cluster }: MeshEntry,
  select: (labels: Readonly<Record<string, string>>) => readonly Pod[],
): FoundEndpoints {
  const found = new Map<string, MeshAddress>();
  const findings: Finding[] = [];
  for (const [at, { host = {}, port, health_check_port: checked }] of cluster.endpoints.entries()) {
    const { selector, address } = host;
    const addresses = selector ? select(selector).map(readyAddress) : [address];
    const present = addresses.filter((one) => one !== undefined);
    if (present.length === 0) {
      findings.push({
        severity: "warning",
        path: ["spec", "listeners", index, protocol, "cluster", "endpoints", at, "host"],
        message: "no pod that is Ready matches the selector; nobody is sent to",
        rule: "endpoints-not-found",
      });
    }
    for (const address of present) {
      const id = `${address} ${port}`;
      if (!found.has(id)) found.set(id, { address, port, ...(checked !== undefined && { healthCheckPort: checked }) });
    }
  }
  return { addresses: [...found.values()].sort(byAddress), findings };
}

function byAddress(a: MeshAddress, b: MeshAddress): number {
  return a.address === b.address ? a.port - b.port : a.address < b.address ? -1 : 1;
}
