import type { Finding, PathSegment } from "../../base/mod.ts";
import { hasErrors } from "../../base/mod.ts";
import type { Registry } from "../../envoy/mod.ts";
import { encodeItem, type Resource } from "../../snapshot/mod.ts";
import { assignmentOf, clusterOf } from "./cluster.ts";
import type { MeshAddress } from "./endpoints.ts";
import type { MeshEntry } from "./entries.ts";
import { listenerOf } from "./listener.ts";

/** What one entry becomes in every Envoy that it reaches, encoded. They go together: all of them or none. */
export interface MeshUnit {
  readonly entry: MeshEntry;
  readonly listener: Resource;
  readonly cluster: Resource;
  /** Only where endpoints come on their own: the cluster for clients with a stream per type, and the endpoints. */
  readonly eds?: { readonly ownStream: Resource; readonly endpoints: Resource };
}

/** Outcome of {@linkcode unitOf}. */
export interface MadeUnit {
  /** Absent when an error tells why Envoy would not take it. */
  readonly unit?: MeshUnit;
  /** Paths count from the object. */
  readonly findings: readonly Finding[];
}

interface Made extends MadeUnit {
  readonly addresses: string;
}

/** What was made last of each entry: as long as its endpoints stay the same, nothing is encoded again and identity is kept. */
const LAST = new WeakMap<MeshEntry, Made>();

/** What an entry becomes with these endpoints. */
export function unitOf(entry: MeshEntry, addresses: readonly MeshAddress[], registry: Registry): MadeUnit {
  const key = addresses.map(({ address, port, healthCheckPort }) => `${address} ${port} ${healthCheckPort}`).join("\n");
  const before = LAST.get(entry);
  if (before?.addresses === key) return before;
  const made = { ...make(entry, { addresses, registry, before: before?.unit }), addresses: key };
  LAST.set(entry, made);
  return made;
}

function make(
  entry: MeshEntry,
  { addresses, registry, before }: {
    addresses: readonly MeshAddress[];
    registry: Registry;
    before: MeshUnit | undefined;
  },
): MadeUnit {
  const { index, protocol, cluster: { name, service_discovery } } = entry;
  const findings: Finding[] = [];
  const path = ["spec", "listeners", index];
  const encode = (type: "listener" | "cluster" | "endpoint", value: Readonly<Record<string, unknown>>) => {
    const read = encodeItem({ type, value }, registry);
    findings.push(...read.findings.map((finding) => told(finding, { type, path })));
    return read.resource && { ...read.resource, external: true } as const;
  };
  const listener = before?.listener ?? encode("listener", listenerOf(entry));
  if (service_discovery === "strictdns") {
    const cluster = encode("cluster", clusterOf(entry, { addresses, endpointsBy: "ads" }));
    if (!listener || !cluster || hasErrors(findings)) return { findings };
    return { unit: { entry, listener, cluster }, findings };
  }
  const cluster = before?.cluster ?? encode("cluster", clusterOf(entry, { addresses, endpointsBy: "ads" }));
  const ownStream = before?.eds?.ownStream ??
    encode("cluster", clusterOf(entry, { addresses, endpointsBy: "own-stream" }));
  const endpoints = encode("endpoint", assignmentOf(name, { protocol, addresses }));
  if (!listener || !cluster || !ownStream || !endpoints || hasErrors(findings)) return { findings };
  return { unit: { entry, listener, cluster, eds: { ownStream, endpoints } }, findings };
}

/** What the reader says of our own messages is owed to what the user wrote, but not where; only what is wrong counts. */
function told(finding: Finding, { type, path }: { type: string; path: readonly PathSegment[] }): Finding {
  return { ...finding, path, message: `${type} at ${finding.path.join(".")}: ${finding.message}` };
}
