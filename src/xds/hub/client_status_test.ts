import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { envoyRegistry, RESOURCE_TYPES } from "../../envoy/mod.ts";
import { snapshotOf } from "../../snapshot/mod.ts";
import type { StreamHandler } from "../call.ts";
import { clientStatuses } from "./client_status.ts";
import { Hub } from "./hub.ts";

const EDS = RESOURCE_TYPES[1]!.typeUrl;

Deno.test("W37: the client status tells per resource whether it was sent, taken or refused, without its content", async () => {
  const hub = new Hub({ clock: new ManualClock() });
  const names = ["taken", "refused"];
  hub.set("edge", snapshotOf(names.map((name) => ({ typeUrl: EDS, name, version: "1", body: Uint8Array.of(7) }))));
  const nonces: string[] = [];
  const codecs = {
    response: envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryResponse"),
    request: envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryRequest"),
  };
  const stream: StreamHandler = hub.open({
    id: "1",
    protocol: "delta",
    typeUrl: undefined,
    peer: { address: "127.0.0.1:1" },
    write(body, tail) {
      nonces.push(String(codecs.response.decode(new Uint8Array([...body, ...tail]))["nonce"]));
      return Promise.resolve();
    },
    end() {},
  });
  function states(): Record<string, string> {
    const [client] = [...clientStatuses(hub)];
    return Object.fromEntries([...client?.resources ?? []].map(({ name, state }) => [name, state]));
  }
  async function say(fields: Record<string, unknown>): Promise<void> {
    await stream.request(codecs.request.encode({ type_url: EDS, ...fields }));
    for (let i = 0; i < 10; i++) await Promise.resolve();
  }
  await say({ node: { id: "edge" }, resource_names_subscribe: ["taken"] });
  expect(states()).toEqual({ taken: "stale" });
  await say({ response_nonce: nonces[0] });
  expect(states()).toEqual({ taken: "synced" });
  await say({ resource_names_subscribe: ["refused"] });
  await say({ response_nonce: nonces[1], error_detail: { message: "refused is bad" } });
  await say({ resource_names_subscribe: ["nobody's"] });
  await say({ response_nonce: nonces[2] });
  expect(states()).toMatchObject({ taken: "synced", refused: "error", "nobody's": "not-sent" });
  const [client] = [...clientStatuses(hub)];
  const error = [...client?.resources ?? []].find(({ name }) => name === "refused")?.error;
  expect(error?.details).toBe("refused is bad");
  hub.close();
});
