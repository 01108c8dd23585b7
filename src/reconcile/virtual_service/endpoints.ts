import { type MeshCluster, type Pod, readyAddress } from "../../api/virtual_service/mod.ts";
import type { Finding } from "../../base/mod.ts";
import { isIp } from "../../bootstrap/mod.ts";
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
  for (const [at, { host, port, health_check_port }] of cluster.endpoints.entries()) {
    const note = (message: string, rule: string) =>
      findings.push({
        severity: "warning",
        path: ["spec", "listeners", index, protocol, "cluster", "endpoints", at, "host"],
        message,
        rule,
      });
    for (const address of addressesOf(cluster, { host, select, note })) {
      const more = health_check_port === undefined ? {} : { healthCheckPort: health_check_port };
      const id = `${address} ${port}`;
      if (!found.has(id)) found.set(id, { address, port, ...more });
    }
  }
  return { addresses: [...found.values()].sort(byAddress), findings };
}

function addressesOf(
  { service_discovery }: MeshCluster,
  { host, select, note }: {
    host: MeshCluster["endpoints"][number]["host"];
    select: (labels: Readonly<Record<string, string>>) => readonly Pod[];
    note: (message: string, rule: string) => void;
  },
): readonly string[] {
  const { selector, address } = host ?? {};
  if (selector) {
    const ready = select(selector).map(readyAddress).filter((ip) => ip !== undefined);
    if (ready.length === 0) note("no pod that is Ready matches the selector; nobody is sent to", "endpoints-not-found");
    return ready;
  }
  if (!address) {
    note("neither selector nor address is set; the endpoint is left out", "endpoint-host");
    return [];
  }
  if (service_discovery === "eds" && !isIp(address)) {
    note(`eds takes no names, and ${JSON.stringify(address)} is one; the endpoint is left out`, "endpoint-host");
    return [];
  }
  return [address];
}

function byAddress(a: MeshAddress, b: MeshAddress): number {
  return a.address === b.address ? a.port - b.port : a.address < b.address ? -1 : 1;
}
