import type { WatchEvent } from "../../store.ts";
import { parseLease } from "./lease.ts";

/**
 * Whether a change of a Lease is a reason to look at all of them now, instead of at the next turn: one of ours came, went or was
 * given back. That it was renewed is none.
 */
export function isLeaseNews({ type, object }: WatchEvent, labels: Readonly<Record<string, string>>): boolean {
  const lease = parseLease(object);
  if (!lease || Object.entries(labels).some(([name, value]) => lease.labels[name] !== value)) return false;
  return type !== "modified" || lease.holder === "";
}
