import { expect } from "expect";
import type { Logger } from "../../telemetry/mod.ts";
import type { Peer, XdsCall } from "../../xds/mod.ts";
import { clientRights, type ClientRightsOptions } from "./client_rights.ts";

const NODE = { id: "edge", cluster: "", userAgent: "", metadata: new Map<string, string>() };

function call(...uris: string[]): XdsCall {
  const peer: Peer = {
    address: "10.0.0.1:4",
    certificate: { subject: "CN=pod", names: uris, uris, fingerprint: "00" },
  };
  return { id: "s1", protocol: "delta", typeUrl: undefined, peer, write: () => Promise.resolve(), end: () => {} };
}

/** Who asks, with what came of it: lines of the log and counts. */
function asked(options: Pick<ClientRightsOptions, "wanted"> & { warnOnly?: boolean; namespaces?: string[] }) {
  const said: string[] = [];
  const say = (level: string) => (message: string) => said.push(`${level}: ${message}`);
  const log: Logger = {
    ...{ debug: say("debug"), info: say("info"), warn: say("warn"), error: say("error") },
    with: () => log,
  };
  const metrics = {
    count: (name: string, labels: Record<string, string>) => said.push(`${name} ${Object.values(labels).join(" ")}`),
    set() {},
    observe() {},
    clear() {},
  };
  const ask = clientRights({ warnOnly: false, namespaces: ["shop"], ...options, log, metrics });
  return { ask, said };
}

const SHOP = "urn:chancery:namespace:shop";

Deno.test("W4: a client without the right is refused, and both are told", () => {
  const { ask, said } = asked({ wanted: "Namespace" });
  expect(ask(NODE, call(SHOP))).toBeUndefined();
  expect(ask(NODE, call("urn:chancery:namespace:blog"))).toContain("does not grant");
  expect(said).toEqual([
    "chancery_client_rights_total namespace served",
    "info: The client has the right to its node id",
    "chancery_client_rights_total none refused",
  ]);
});

Deno.test("clientRights() only warns when it shall, and only counts while nothing is asked for", () => {
  const warning = asked({ wanted: "NodeID", warnOnly: true });
  expect(warning.ask(NODE, call(SHOP))).toBeUndefined();
  expect(warning.said).toEqual([
    "chancery_client_rights_total none served",
    "warn: The client has no right to its node id",
  ]);
  const off = asked({ wanted: "Off" });
  expect(off.ask(NODE, call())).toBeUndefined();
  expect(off.said).toEqual([
    "chancery_client_rights_total none served",
    "debug: The client has no right to its node id, and none is asked for",
  ]);
});

Deno.test("clientRights() cannot tell whose certificates are meant when several namespaces are served", () => {
  expect(() => asked({ wanted: "NodeID", namespaces: ["a", "b"] })).toThrow("2 are served (--watch-namespace)");
  expect(() => asked({ wanted: "NodeID", namespaces: [] })).toThrow("all are served");
  expect(asked({ wanted: "Off", namespaces: [] }).ask(NODE, call())).toBeUndefined();
});
