import type { EndpointSlice, EndpointSlicesSource } from "../../api/mod.ts";
import { canonicalJson, type Finding } from "../../base/mod.ts";
import { type HealthStatus, type ReadEndpoint, readEndpoint } from "./slice_endpoint.ts";
import { portOfSlice } from "./slice_port.ts";
import type { Resolved } from "./sources.ts";

/**
 * A ClusterLoadAssignment from all slices that match, which are sorted by name. Rules (W20):
 * - each slice uses its own port; a slice without it gives nothing and is noted
 * - one group per zone, weighted by its number of endpoints, so that locality-weighted balancing spreads as evenly as any;
 *   the locality is set even where the zone is not known, since gRPC clients refuse an assignment without it
 * - an address that several slices list is one endpoint, in its best state
 * - IPv4 and IPv6 addresses of one target (same `targetRef`) are one endpoint: IPv4 is dialed first, IPv6 is an additional
 *   address. Without a `targetRef`, or over UDP, each address stands for itself
 * - groups are in order of zone, endpoints in order of address: the order of objects never shows
 * - slices of host names give nothing: EDS takes addresses only
 *
 * Slices without endpoints are an answer: nobody is there. No slice at all is a problem to tell, and still no obstacle (W19).
 */
export function resolveEndpointSlices(source: EndpointSlicesSource, slices: readonly EndpointSlice[]): Resolved {
  const found: ReadEndpoint[] = [];
  const notes: Finding[] = [];
  let ports = 0;
  for (const slice of slices) {
    const name = JSON.stringify(slice.metadata.name);
    if (slice.addressType === "FQDN") {
      notes.push(
        note(`EndpointSlice ${name} holds host names, which EDS does not take; use a cluster of type STRICT_DNS`),
      );
      continue;
    }
    const endpoints = slice.endpoints ?? [];
    const port = portOfSlice(slice, source.targetPort);
    if (!port) {
      // Kubernetes keeps an empty slice without ports where a Service finds no pods: nothing to tell.
      if (endpoints.length > 0) {
        notes.push(note(`EndpointSlice ${name} has no port ${JSON.stringify(source.targetPort)}`));
      } else ports++;
      continue;
    }
    ports++;
    for (const endpoint of endpoints) {
      const read = readEndpoint(slice, endpoint, port);
      if (read) found.push(read);
      else {
        const address = JSON.stringify(endpoint.addresses[0] ?? "");
        notes.push(note(`EndpointSlice ${name} lists ${address}, which is no ${slice.addressType} address`));
      }
    }
  }
  const value = { cluster_name: source.clusterName, endpoints: groupByZone(mergeTargets(dedupe(found))) };
  if (ports > 0) return { value, notes };
  const selector = canonicalJson(source.selector);
  const message = slices.length === 0
    ? `no EndpointSlice matches ${selector} for cluster ${JSON.stringify(source.clusterName)}`
    : `no EndpointSlice that matches ${selector} has endpoints with port ${JSON.stringify(source.targetPort)}`;
  return { value, notes, problem: { kind: "endpoints-not-found", message } };
}

const HEALTH_ORDER: readonly HealthStatus[] = ["HEALTHY", "UNKNOWN", "DRAINING", "UNHEALTHY"];

/** An endpoint and, where it is dual-stack, its other address. */
interface Merged {
  readonly main: ReadEndpoint;
  readonly other?: ReadEndpoint;
}

function dedupe(endpoints: readonly ReadEndpoint[]): ReadEndpoint[] {
  const byAddress = new Map<string, ReadEndpoint>();
  for (const endpoint of [...endpoints].sort(byRank)) {
    const key = `${endpoint.address} ${endpoint.port.number} ${endpoint.port.udp}`;
    if (!byAddress.has(key)) byAddress.set(key, endpoint);
  }
  return [...byAddress.values()];
}

/** Best state first, then by content, so that the choice does not depend on the order of slices. */
function byRank(a: ReadEndpoint, b: ReadEndpoint): number {
  const rank = HEALTH_ORDER.indexOf(a.health) - HEALTH_ORDER.indexOf(b.health);
  return rank !== 0 ? rank : compare(canonicalJson(a), canonicalJson(b));
}

function mergeTargets(endpoints: readonly ReadEndpoint[]): Merged[] {
  const sorted = [...endpoints].sort(byAddress);
  const others = new Map<string, ReadEndpoint>();
  for (const endpoint of sorted) {
    const { target, family, port } = endpoint;
    if (target !== undefined && family === "IPv6" && !port.udp && !others.has(target)) others.set(target, endpoint);
  }
  const merged: Merged[] = [];
  const taken = new Set<ReadEndpoint>();
  for (const main of sorted) {
    if (main.family !== "IPv4" || main.port.udp || main.target === undefined) continue;
    const other = others.get(main.target);
    if (!other || taken.has(other)) continue;
    taken.add(other).add(main);
    merged.push({ main, other });
  }
  for (const main of sorted) if (!taken.has(main)) merged.push({ main });
  return merged;
}

function groupByZone(endpoints: readonly Merged[]): Record<string, unknown>[] {
  const zones = new Map<string, Merged[]>();
  for (const endpoint of endpoints) {
    const { zone } = endpoint.main;
    const group = zones.get(zone);
    if (group) group.push(endpoint);
    else zones.set(zone, [endpoint]);
  }
  return [...zones].sort(([a], [b]) => compare(a, b)).map(([zone, group]) => ({
    locality: zone === "" ? {} : { zone },
    load_balancing_weight: group.length,
    lb_endpoints: group.sort((a, b) => byAddress(a.main, b.main)).map(lbEndpoint),
  }));
}

function lbEndpoint({ main, other }: Merged): Record<string, unknown> {
  return {
    endpoint: {
      address: socketAddress(main),
      ...(other ? { additional_addresses: [{ address: socketAddress(other) }] } : {}),
    },
    health_status: main.health,
  };
}

function socketAddress({ address, port }: ReadEndpoint): Record<string, unknown> {
  return { socket_address: { ...(port.udp ? { protocol: "UDP" } : {}), address, port_value: port.number } };
}

function byAddress(a: ReadEndpoint, b: ReadEndpoint): number {
  return compare(a.family, b.family) || compare(a.address, b.address) || a.port.number - b.port.number ||
    Number(a.port.udp) - Number(b.port.udp);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function note(message: string): Finding {
  return { severity: "warning", path: ["generateFromEndpointSlices"], message, rule: "endpoint-slice" };
}
