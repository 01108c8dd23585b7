import { envoyRegistry } from "../../envoy/mod.ts";
import type { ClientResource, ClientStatus } from "../server/mod.ts";
import type { TypeState } from "../session/mod.ts";
import { isKnown } from "../view.ts";
import type { NodeInfo } from "../wire/mod.ts";
import type { Hub } from "./hub.ts";

/** Every identified stream with what it holds, for the client status discovery service. Names and versions, no content. */
export function* clientStatuses(hub: Hub): Iterable<ClientStatus> {
  for (const { streams } of hub.nodes()) {
    for (const { info, session } of streams) {
      if (!info) continue;
      yield { node: encodeNode(info.node), resources: [...session.types.values()].flatMap(resourcesOf) };
    }
  }
}

function encodeNode({ id, cluster, userAgent, metadata }: NodeInfo): Uint8Array {
  const fields = Object.fromEntries([...metadata].map(([name, value]) => [name, { string_value: value }]));
  const [name = "", version = ""] = userAgent.split(" ");
  return envoyRegistry().codec("envoy.config.core.v3.Node").encode({
    id,
    cluster,
    user_agent_name: name,
    user_agent_version: version,
    ...(metadata.size > 0 && { metadata: { fields } }),
  });
}

function resourcesOf(type: TypeState): ClientResource[] {
  const underway = new Set(type.inFlight.flatMap((response) => response.names));
  const held = [...type.held.entries].map(([name, entry]): ClientResource => {
    const known = isKnown(entry);
    const refused = !known && type.refused;
    return {
      typeUrl: type.typeUrl,
      name,
      version: known ? entry.version : entry.resource?.version ?? "",
      state: underway.has(name) ? "stale" : refused ? "error" : known ? "synced" : "not-sent",
      ...(refused && { error: { version: refused.version, details: refused.message, at: refused.at } }),
      ...(type.sent && { updatedAt: type.sent.at }),
    };
  });
  const absent = [...type.subscription.names].filter((name) => !type.held.entries.has(name));
  return [
    ...held,
    ...absent.map((name): ClientResource => ({ typeUrl: type.typeUrl, name, version: "", state: "not-sent" })),
  ];
}
