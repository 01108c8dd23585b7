import type { Registry } from "../../envoy/mod.ts";
import type { Resource } from "../../snapshot/mod.ts";

/** Each listener is read once, however many pods it stands beside. */
const KNOWN = new WeakMap<Resource, readonly string[]>();

/**
 * What a listener of an EnvoyConfig binds, as `udp 53`. Its address does not count: ours listen on all, and Envoy or the kernel refuses
 * the second. Listeners that bind nothing, or no IP address, have none.
 */
export function boundPorts(listener: Resource, registry: Registry): readonly string[] {
  let known = KNOWN.get(listener);
  if (!known) KNOWN.set(listener, known = read(listener, registry));
  return known;
}

const UDP = 1;

function read({ body }: Resource, registry: Registry): readonly string[] {
  const { address, additional_addresses, bind_to_port } = registry.codec("envoy.config.listener.v3.Listener").decode(
    body,
  ) as unknown as Listener; // decoded by that very type
  if (bind_to_port?.value === false) return [];
  return [address, ...(additional_addresses ?? []).map((more) => more.address)].flatMap((one) => {
    const { protocol = 0, port_value } = one?.socket_address ?? {};
    return port_value === undefined ? [] : [`${protocol === UDP ? "udp" : "tcp"} ${port_value}`];
  });
}

interface Address {
  readonly socket_address?: { readonly protocol?: number; readonly port_value?: number };
}

interface Listener {
  readonly address?: Address;
  readonly additional_addresses?: readonly { readonly address?: Address }[];
  readonly bind_to_port?: { readonly value?: boolean };
}
