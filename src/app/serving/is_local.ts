import type { Address } from "../../bootstrap/mod.ts";
import { isLoopback } from "../../xds/server/mod.ts";

/** Whether only this machine can reach the address. */
export function isLocal(address: Address): boolean {
  return address.kind === "unix" || isLoopback(address.host);
}
