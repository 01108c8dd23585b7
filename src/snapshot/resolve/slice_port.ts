import type { EndpointSlice, SlicePort } from "../../api/mod.ts";

/** A port as Envoy needs it. */
export interface ResolvedPort {
  readonly number: number;
  readonly udp: boolean;
}

/**
 * The port a slice has for `wanted`: by name first, then, when `wanted` is a number or all digits, by number. A port without a
 * number in the slice stands for all ports. Of several that fit, TCP goes before UDP; SCTP is nothing Envoy speaks.
 */
export function portOfSlice(slice: EndpointSlice, wanted: string | number): ResolvedPort | undefined {
  const ports = (slice.ports ?? []).filter((port) => port.protocol !== "SCTP");
  const named = typeof wanted === "string" ? pick(ports.filter((port) => (port.name ?? "") === wanted)) : undefined;
  if (named?.port) return { number: named.port, udp: named.protocol === "UDP" };
  const number = typeof wanted === "number" ? wanted : /^\d{1,5}$/.test(wanted) ? Number(wanted) : 0;
  if (number < 1 || number > 65535) return undefined;
  const found = pick(ports.filter((port) => port.port === number)) ?? pick(ports.filter((port) => !port.port));
  return found && { number, udp: found.protocol === "UDP" };
}

function pick(ports: readonly SlicePort[]): SlicePort | undefined {
  return ports.find((port) => port.protocol !== "UDP") ?? ports[0];
}
