import { resourceTypeOf } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { select, selectVirtualHosts } from "../select.ts";
import { standsInForVanished, withStandIns } from "../stand_in.ts";
import type { Subscription } from "../subscription.ts";
import type { View } from "../view.ts";

/** What is wanted of a type, and by which protocol. */
export interface Wanted {
  readonly typeUrl: string;
  readonly subscription: Subscription;
  readonly protocol: "sotw" | "delta";
}

/** What a client shall hold of a type once a snapshot is rolled out in full. */
export function desiredView(snapshot: Snapshot, { typeUrl, subscription, protocol }: Wanted): View {
  if (resourceTypeOf(typeUrl)?.short === "VHDS") return selectVirtualHosts(snapshot, subscription);
  const view = select(snapshot.types.get(typeUrl), subscription);
  return protocol === "sotw" && standsInForVanished(typeUrl) ? withStandIns(view, subscription, typeUrl) : view;
}
