import ipaddr from "ipaddr.js";
import type { EndpointSlice, SliceEndpoint } from "../../api/mod.ts";
import type { ResolvedPort } from "./slice_port.ts";

/** Envoy's words for the state of an endpoint. */
export type HealthStatus = "HEALTHY" | "UNKNOWN" | "DRAINING" | "UNHEALTHY";

/** One endpoint of one slice, understood. */
export interface ReadEndpoint {
  readonly family: "IPv4" | "IPv6";
  readonly address: string;
  readonly port: ResolvedPort;
  readonly health: HealthStatus;
  readonly zone: string;
  /** Equal for the two addresses of one dual-stack pod; absent when the slice does not tell whose endpoint it is. */
  readonly target?: string;
}

/** An endpoint of a slice of addresses, or `undefined` when its first address is none of the slice's family. */
export function readEndpoint(
  slice: EndpointSlice,
  endpoint: SliceEndpoint,
  port: ResolvedPort,
): ReadEndpoint | undefined {
  const family = slice.addressType === "IPv6" ? "IPv6" : "IPv4";
  const address = canonicalAddress(endpoint.addresses[0] ?? "", family);
  if (address === undefined) return undefined;
  const target = targetOf(endpoint);
  return {
    family,
    address,
    port,
    health: healthOf(endpoint.conditions ?? {}),
    zone: endpoint.zone ?? "",
    ...(target === undefined ? {} : { target }),
  };
}

/** `terminating` first, then `serving`, then `ready`; what is absent is not known. */
function healthOf(conditions: NonNullable<SliceEndpoint["conditions"]>): HealthStatus {
  if (conditions.terminating) return "DRAINING";
  const up = conditions.serving ?? conditions.ready;
  return up === undefined || up === null ? "UNKNOWN" : up ? "HEALTHY" : "UNHEALTHY";
}

/** One spelling per address, so that an equal address is an equal text. */
function canonicalAddress(text: string, family: "IPv4" | "IPv6"): string | undefined {
  if (family === "IPv4") return ipaddr.IPv4.isValidFourPartDecimal(text) ? text : undefined;
  if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return undefined;
  return ipaddr.IPv6.parse(text).toRFC5952String();
}

function targetOf({ targetRef }: SliceEndpoint): string | undefined {
  if (!targetRef) return undefined;
  if (targetRef.uid) return targetRef.uid;
  return targetRef.name ? `${targetRef.kind ?? ""}/${targetRef.namespace ?? ""}/${targetRef.name}` : undefined;
}
