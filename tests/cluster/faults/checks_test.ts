import { expect } from "expect";
import type { Log } from "../../faults/journal.ts";
import { type AuditEvent, readAudit } from "./audit.ts";
import { noErrorLoop, onceEach, oneWriter, sameEverywhere, termsOf } from "./checks.ts";

const LEASE = "leader";
let second = 0;

function event(user: string, verb: string, object: string, more: Partial<AuditEvent> = {}): AuditEvent {
  const [resource = "", name = "", subresource = ""] = object.split("/");
  const at = new Date(1_000 * ++second).toISOString();
  const account = `system:serviceaccount:demo:${user}`;
  return { at, user: account, verb, resource, subresource, namespace: "demo", name, code: 200, query: {}, ...more };
}

function lease(user: string): AuditEvent {
  return event(user, "update", `leases/${LEASE}`);
}

function write(user: string, name = "edge"): AuditEvent {
  return event(user, "patch", `envoyconfigs/${name}/status`);
}

Deno.test("termsOf() begins a term when another writes the Lease", () => {
  const audit = [
    lease("a"),
    lease("a"),
    event("b", "update", `leases/${LEASE}`, { code: 409 }),
    lease("b"),
    lease("a"),
  ];
  expect(termsOf(audit, LEASE).map(({ user }) => user.at(-1))).toEqual(["a", "b", "a"]);
});

Deno.test("I11: the check tells of a write of an earlier term, and of one by who never led", () => {
  expect(oneWriter([lease("a"), write("a"), lease("b"), write("b"), lease("a"), write("a")], LEASE)).toEqual([]);
  expect(oneWriter([lease("a"), lease("b"), write("a"), write("b")], LEASE)).toEqual([]); // before the new one wrote
  expect(oneWriter([lease("a"), lease("b"), write("b"), write("a", "other")], LEASE)).toEqual([]);
  expect(oneWriter([lease("a"), lease("b"), write("b"), write("a")], LEASE)[0]).toContain("in term 0, after");
  expect(oneWriter([lease("a"), write("b")], LEASE)[0]).toContain("never led");
  const report = event("b", "patch", "envoyconfigrevisions/r/status", {
    query: { fieldManager: "chancery-clients-b" },
  });
  const refused = event("b", "patch", "envoyconfigs/edge/status", { code: 409 });
  expect(oneWriter([lease("a"), report, refused], LEASE)).toEqual([]);
  const stolen = event("b", "patch", "envoyconfigrevisions/r/status", {
    query: { fieldManager: "chancery-clients-a" },
  });
  expect(oneWriter([lease("a"), stolen], LEASE)).toHaveLength(1);
});

Deno.test("I1, I2: the checks tell of a revision that was not made, and of one that was made twice", () => {
  const made = (code = 201) =>
    event("a", "patch", "envoyconfigrevisions/r", { code, spec: { nodeID: "edge", version: "v" } });
  const log = [{ at: 1, kind: "read", node: "edge", version: "v" }] as Log;
  expect(onceEach([made()], log)).toEqual([]);
  expect(onceEach([made(), made(200)], log)).toEqual([]);
  expect(onceEach([made(), event("a", "delete", "envoyconfigrevisions/r"), made()], log)).toEqual([]);
  expect(onceEach([made(), made()], log)[0]).toMatch(/^I2: .*r was made although/);
  expect(onceEach([], log)).toEqual(["I1: no revision was made of edge v"]);
});

Deno.test("I18: the check tells of two clients that hold different bytes at the end", () => {
  const said = (client: string, hash: string) => ({
    ...{ at: 1, kind: "response", client, node: "edge", stream: 1, protocol: "delta", type: "CDS", nonce: "" },
    ...{ version: "", resources: [{ name: "c", version: hash, hash }], removed: [] },
  });
  expect(sameEverywhere([said("x", "1"), said("y", "1"), said("x", "2"), said("y", "2")] as Log)).toEqual([]);
  expect(sameEverywhere([said("x", "1"), said("y", "1"), said("y", "2")] as Log)[0]).toContain("edge CDS/c");
  const dropped = {
    at: 1,
    kind: "request",
    client: "x",
    protocol: "delta",
    type: "CDS",
    subscribe: [],
    unsubscribe: ["c"],
  };
  expect(sameEverywhere([said("x", "1"), dropped, said("y", "2")] as unknown as Log)).toEqual([]);
});

Deno.test("noErrorLoop() tells of a message without end, and of what was not logged", () => {
  const line = JSON.stringify({ level: "warn", message: "again" });
  expect(noErrorLoop("xds-0", Array.from({ length: 200 }, () => line))).toEqual([]);
  expect(noErrorLoop("xds-0", Array.from({ length: 201 }, () => line))).toEqual([
    `xds-0 said 201 times something like ${line}`,
  ]);
  expect(noErrorLoop("xds-0", ["error: Uncaught (in promise) x"])).toEqual([
    "xds-0 wrote error: Uncaught (in promise) x",
  ]);
});

Deno.test("readAudit() reads what is complete, in order, of one namespace", () => {
  const raw = (at: string, namespace: string) =>
    JSON.stringify({
      stage: "ResponseComplete",
      stageTimestamp: at,
      requestURI: "/apis/x?fieldManager=chancery&force=true",
      verb: "patch",
      user: { username: "u" },
      objectRef: { resource: "envoyconfigrevisions", namespace, name: "r", subresource: "status" },
      requestObject: { spec: { nodeID: "edge", version: "v" } },
      responseStatus: { code: 200 },
    });
  const text = [raw("2", "demo"), raw("1", "demo"), raw("3", "other"), '{"stage":"Resp'].join("\n");
  const read = readAudit(text, "demo");
  expect(read.map(({ at }) => at)).toEqual(["1", "2"]);
  expect(read[0]).toMatchObject({ code: 200, query: { fieldManager: "chancery" }, spec: { version: "v" } });
});
