import { resourceTypeOf } from "../../envoy/mod.ts";
import type { Snapshot } from "../../snapshot/mod.ts";
import { select, selectVirtualHosts } from "../select.ts";
import type { Subscription } from "../subscription.ts";
import type { View } from "../view.ts";

/** What a client shall hold of a type once a snapshot is rolled out in full. */
export function desiredView(snapshot: Snapshot, typeUrl: string, wanted: Subscription): View {
  const type = snapshot.types.get(typeUrl);
  return resourceTypeOf(typeUrl)?.short === "VHDS" ? selectVirtualHosts(type, wanted) : select(type, wanted);
}
