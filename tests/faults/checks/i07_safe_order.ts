import { ModelEnvoy } from "../../../src/xds/session/model/envoy.ts";
import { entriesOf, type Log } from "../journal.ts";
import { receive, refuses } from "../replay.ts";
import { where } from "./streams.ts";

interface Client {
  readonly envoy: ModelEnvoy;
  opened: boolean;
  /** Types of which something arrived on this stream. */
  readonly arrived: Set<string>;
  /** Listeners that it would not take, and so uses in an older version. */
  readonly refused: Set<string>;
}

/**
 * A model of Envoy that is fed what the clients got never uses what refers to nothing. Not counted is what no server can
 * prevent: a state-of-the-world client that comes back replaces its clusters by those of the first response, before it can be
 * told of listeners; and a listener that was refused stays an older one, whose clusters the configuration no longer has.
 */
export function safeOrder(log: Log): string[] {
  const faults: string[] = [];
  const clients = new Map<string, Client>();
  for (const entry of entriesOf(log, "open", "response")) {
    const known = clients.get(entry.client);
    const client = known ??
      { envoy: new ModelEnvoy(entry.protocol), opened: false, arrived: new Set<string>(), refused: new Set<string>() };
    clients.set(entry.client, client);
    if (entry.kind === "open") {
      if (client.opened) client.envoy.connect();
      client.opened = true;
      client.arrived.clear();
      continue;
    }
    if (entry.resources.length > 0) client.arrived.add(entry.type);
    if (entry.type === "SDS") continue;
    for (const one of entry.type === "LDS" ? entry.resources : []) {
      if (refuses(entry.client, one)) client.refused.add(one.name);
      else client.refused.delete(one.name);
    }
    receive(client.envoy, entry, entry.client);
    client.envoy.outbox.length = 0;
    const coming = entry.protocol === "sotw" && !(client.arrived.has("LDS") && client.arrived.has("RDS"));
    if (coming) continue;
    for (const told of client.envoy.dangling()) {
      const listener = told.slice(0, told.indexOf(":"));
      if (!client.refused.has(listener)) faults.push(`${where(entry)}: ${entry.type} leaves listener ${told}`);
    }
  }
  return faults;
}
