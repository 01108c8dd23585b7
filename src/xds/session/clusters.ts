import { RESOURCE_TYPES } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { difference } from "../view.ts";
import { desiredView } from "./desired.ts";
import type { SessionState, TypeState } from "./state.ts";

/** The type URL of a short name such as `CDS`. */
function urlOf(short: string): string {
  return RESOURCE_TYPES.find((type) => type.short === short)!.typeUrl; // the table lists every name used below
}

/** Types that have a part of their own in the order of things. */
export const CDS = urlOf("CDS"), EDS = urlOf("EDS"), LDS = urlOf("LDS"), VHDS = urlOf("VHDS");

/** Whether a client was sent every cluster of a snapshot as it stands there. */
export function hasAllClusters(clusters: TypeState, snapshot: Snapshot, protocol: SessionState["protocol"]): boolean {
  if (clusters.unanswered !== undefined) return false;
  const { typeUrl, subscription, held } = clusters;
  return difference(held, desiredView(snapshot, { typeUrl, subscription, protocol })).changed.size === 0;
}
