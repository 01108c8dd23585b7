import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { envoyRegistry, RESOURCE_TYPES } from "../../envoy/mod.ts";
import { type Resource, type Snapshot, snapshotOf } from "../../snapshot/mod.ts";
import type { CallStatus, StreamHandler, XdsCall } from "../call.ts";
import { clientReports } from "./client_report.ts";
import { Hub, type HubOptions } from "./hub.ts";
import { hubStatus } from "./status.ts";

const CDS = RESOURCE_TYPES[0]!.typeUrl;
const EDS = RESOURCE_TYPES[1]!.typeUrl;

/** A client at the other end of a call: keeps what arrives; with `stuck`, nothing leaves until `unstick`. */
class FakeCall implements XdsCall {
  readonly id: string;
  readonly protocol = "delta";
  readonly peer = { address: "127.0.0.1:1" };
  readonly received: Record<string, unknown>[] = [];
  ended: CallStatus | undefined;
  stuck = false;
  writes = 0;
  readonly typeUrl: string | undefined;
  #waiting: (() => void)[] = [];
  #handler: StreamHandler | undefined;

  constructor(readonly hub: Hub, options: { id?: string; typeUrl?: string } = {}) {
    this.id = options.id ?? "1";
    this.typeUrl = options.typeUrl;
    this.#handler = hub.open(this);
  }

  async write(body: Uint8Array, tail: Uint8Array): Promise<void> {
    this.writes++;
    if (this.stuck) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    const bytes = new Uint8Array([...body, ...tail]);
    this.received.push(envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryResponse").decode(bytes));
  }

  unstick(): void {
    this.stuck = false;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  end(status: CallStatus): void {
    this.ended = status;
  }

  request(fields: Record<string, unknown>): void | Promise<void> {
    const codec = envoyRegistry().codec("envoy.service.discovery.v3.DeltaDiscoveryRequest");
    return this.#handler!.request(codec.encode({ type_url: CDS, ...fields }));
  }

  raw(bytes: Uint8Array): void {
    void this.#handler!.request(bytes);
  }

  close(): void {
    this.#handler!.closed();
  }

  names(): string[] {
    return this.received.flatMap((response) =>
      ((response["resources"] ?? []) as { name: string; version: string }[]).map((r) => `${r.name}=${r.version}`)
    );
  }
}

function config(...versions: string[]): Snapshot {
  return snapshotOf(versions.map((word): Resource => {
    const [name = "", version = ""] = word.split("=");
    return { typeUrl: CDS, name, version, body: new TextEncoder().encode(word) };
  }));
}

/** Lets promises that are ready run. */
async function turn(): Promise<void> {
  for (let i = 0; i < 20; i++) await Promise.resolve();
}

function setUp(options: HubOptions = {}): { hub: Hub; clock: ManualClock } {
  const clock = new ManualClock();
  return { hub: new Hub({ clock, ...options }), clock };
}

const NODE = { node: { id: "edge" } };

Deno.test("W5: a stream of a node without configuration waits, and is served when the configuration comes, goes and comes back", async () => {
  const { hub, clock } = setUp();
  const call = new FakeCall(hub);
  call.request(NODE);
  await turn();
  expect(call.writes).toBe(0);
  hub.set("edge", config("a=1"));
  await turn();
  expect(call.names()).toEqual(["a=1"]);
  hub.remove("edge", "keep");
  await turn();
  expect(call.writes).toBe(1);
  clock.advance(60_000);
  hub.set("edge", config("a=2"));
  await turn();
  expect(call.names()).toEqual(["a=1", "a=2"]);
  hub.close();
});

Deno.test("Hub.remove() with `empty` tells connected clients that nothing is left", async () => {
  const { hub, clock } = setUp({ policy: { removalDelayMs: 0 } });
  hub.set("edge", config("a=1"));
  const call = new FakeCall(hub);
  call.request(NODE);
  await turn();
  call.request({ response_nonce: call.received[0]!["nonce"] });
  hub.remove("edge", "empty");
  clock.advance(50);
  await turn();
  expect(call.received[1]?.["removed_resources"]).toEqual(["a"]);
  hub.close();
});

Deno.test("changes in quick succession go out as one, the first at once", async () => {
  const { hub, clock } = setUp({ coalesceMs: 50 });
  hub.set("edge", config("a=0"));
  const call = new FakeCall(hub);
  call.request(NODE);
  await turn();
  call.request({ response_nonce: call.received[0]!["nonce"] });
  clock.advance(1_000);
  hub.set("edge", config("a=1"));
  await turn();
  expect(call.names()).toEqual(["a=0", "a=1"]);
  call.request({ response_nonce: call.received[1]!["nonce"] });
  for (let i = 2; i < 10; i++) hub.set("edge", config(`a=${i}`));
  await turn();
  expect(call.writes).toBe(2);
  clock.advance(50);
  await turn();
  expect(call.names()).toEqual(["a=0", "a=1", "a=9"]);
  hub.close();
});

Deno.test("I16: a slow reader gets the newest configuration once its earlier response has left, and delays nobody else", async () => {
  const { hub, clock } = setUp({ coalesceMs: 0 });
  hub.set("edge", config("a=1"));
  const slow = new FakeCall(hub, { id: "slow" });
  const quick = new FakeCall(hub, { id: "quick" });
  slow.stuck = true;
  slow.request(NODE);
  quick.request(NODE);
  await turn();
  for (let i = 2; i < 6; i++) {
    clock.advance(1);
    hub.set("edge", config(`a=${i}`));
    await turn();
    quick.request({ response_nonce: quick.received.at(-1)!["nonce"] });
  }
  await turn();
  expect(quick.names()).toEqual(["a=1", "a=2", "a=3", "a=4", "a=5"]);
  expect(slow.writes).toBe(1);
  slow.unstick();
  await turn();
  expect(slow.names()).toEqual(["a=1", "a=5"]);
  hub.close();
});

Deno.test("a client that asks and does not read is not read from any more, until it has caught up", async () => {
  const { hub } = setUp();
  hub.set("edge", snapshotOf([]));
  const call = new FakeCall(hub);
  call.stuck = true;
  const pending: Promise<void>[] = [];
  for (let i = 0; i < 40 && pending.length === 0; i++) {
    const paused = call.request({ ...NODE, type_url: EDS, resource_names_subscribe: [`n${i}`] });
    if (paused) pending.push(paused);
  }
  expect(pending.length).toBe(1);
  call.unstick();
  await pending[0];
  hub.close();
});

const REFUSED: readonly {
  name: string;
  request: Record<string, unknown>;
  then?: Record<string, unknown>;
  says: string;
}[] = [
  { name: "without a node id", request: {}, says: "The first request must carry node.id" },
  { name: "with an empty node id", request: { node: { id: "" } }, says: "The first request must carry node.id" },
  {
    name: "of an unknown type",
    request: { ...NODE, type_url: "type.googleapis.com/foo.Bar" },
    says: "Unknown resource type",
  },
  { name: "without a type", request: { ...NODE, type_url: "" }, says: "Unknown resource type" },
  { name: "that changes the node id", request: NODE, then: { node: { id: "other" } }, says: "changed" },
];

for (const { name, request, then, says } of REFUSED) {
  Deno.test(`a request ${name} ends its stream with INVALID_ARGUMENT, and no other`, async () => {
    const refusals: string[] = [];
    const { hub } = setUp({ observer: { refused: (_peer, reason) => refusals.push(reason) } });
    hub.set("edge", config("a=1"));
    const good = new FakeCall(hub, { id: "good" });
    good.request(NODE);
    const bad = new FakeCall(hub, { id: "bad" });
    bad.request(request);
    if (then) bad.request(then);
    await turn();
    expect(bad.ended).toEqual({ code: 3, details: expect.stringContaining(says) });
    expect(refusals.length).toBe(1);
    expect(good.ended).toBeUndefined();
    expect(good.names()).toEqual(["a=1"]);
    hub.close();
  });
}

Deno.test("a node sent again unchanged is no offence: some clients send it with every request", async () => {
  const { hub } = setUp();
  hub.set("edge", config("a=1"));
  const call = new FakeCall(hub);
  call.request(NODE);
  await turn();
  call.request({ ...NODE, response_nonce: call.received[0]!["nonce"] });
  expect(call.ended).toBeUndefined();
  hub.close();
});

Deno.test("the service of one type serves that type only", async () => {
  const { hub } = setUp();
  hub.set("edge", config("a=1"));
  const call = new FakeCall(hub, { typeUrl: CDS });
  call.request({ ...NODE, type_url: "" });
  await turn();
  expect(call.names()).toEqual(["a=1"]);
  call.request({ type_url: EDS });
  expect(call.ended).toMatchObject({ code: 3 });
  hub.close();
});

Deno.test("W4: a peer that may not be a node is refused with PERMISSION_DENIED", () => {
  const { hub } = setUp({ authorize: (node) => node.id === "edge" ? undefined : `not allowed to be "${node.id}"` });
  hub.set("other", config("a=1"));
  const call = new FakeCall(hub);
  call.request({ node: { id: "other" } });
  expect(call.ended).toEqual({ code: 7, details: 'not allowed to be "other"' });
  hub.close();
});

Deno.test("garbage ends the stream with INVALID_ARGUMENT", () => {
  const { hub } = setUp();
  const call = new FakeCall(hub);
  call.raw(Uint8Array.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1]));
  expect(call.ended?.code).toBe(3);
  hub.close();
});

Deno.test("W12, I16: a change of one node sends nothing to clients of another one, whatever their names begin with", async () => {
  const { hub, clock } = setUp({ coalesceMs: 0 });
  const ids = ["web", "web-2", "web:2", "we"];
  for (const id of ids) hub.set(id, config("a=1"));
  const calls = ids.map((id) => new FakeCall(hub, { id: `of ${id}` }));
  for (const [index, id] of ids.entries()) calls[index]!.request({ node: { id } });
  await turn();
  const [changed, ...others] = calls;
  for (let version = 2; version < 10; version++) {
    changed!.request({ response_nonce: changed!.received.at(-1)!["nonce"] });
    clock.advance(1);
    hub.set("web", config(`a=${version}`));
    await turn();
  }
  hub.remove("web", "empty");
  clock.advance(600_000);
  await turn();
  expect(changed!.writes).toBeGreaterThan(8);
  expect(others.map(({ writes }) => writes)).toEqual([1, 1, 1]);
  hub.close();
});

Deno.test("W13, W14: delta clients behind one address that say no name are counted each for itself", async () => {
  const { hub } = setUp();
  hub.set("edge", config("a=1"));
  const calls = ["1", "2", "3"].map((id) => new FakeCall(hub, { id }));
  for (const call of calls) call.request(NODE);
  await turn();
  const answer = (index: number, error_detail?: { message: string }) => {
    const [{ nonce }] = calls[index]!.received as [{ nonce: string }];
    calls[index]!.request({ response_nonce: nonce, ...(error_detail && { error_detail }) });
  };
  answer(0);
  answer(1, { message: "no such port" });
  expect(clientReports(hub, "edge")).toMatchObject([{
    ...{ connected: 3, sent: 3, accepted: 1, rejected: 1, pending: 1 },
    rejections: [{ streamId: "2", client: "127.0.0.1:1", message: "no such port" }],
  }]);
  hub.close();
});

Deno.test("W6: nothing is kept of streams that are gone and nodes that nobody configures", async () => {
  const { hub } = setUp();
  for (let i = 0; i < 100; i++) {
    const call = new FakeCall(hub, { id: String(i) });
    call.request({ node: { id: `node-${i}` } });
    await turn();
    call.close();
  }
  expect([...hub.nodes()]).toEqual([]);
  hub.close();
});

Deno.test("W18: the status tells per stream and type what was sent, accepted and refused, in the client's words", async () => {
  const { hub } = setUp();
  hub.set("edge", config("a=1"));
  const call = new FakeCall(hub);
  call.request({ node: { id: "edge", user_agent_name: "envoy" } });
  await turn();
  call.request({ response_nonce: call.received[0]!["nonce"], error_detail: { code: 13, message: "no such port" } });
  const [node] = hubStatus(hub);
  expect(node).toMatchObject({
    id: "edge",
    streams: [{
      client: "envoy",
      protocol: "delta",
      types: [{ type: "CDS", subscribed: "*", rejected: { message: "no such port", attempts: 1 } }],
    }],
  });
  hub.close();
});

Deno.test("close() ends every stream, those that have not said who they are as well, and refuses new ones", () => {
  const { hub } = setUp();
  const known = new FakeCall(hub, { id: "known" });
  known.request(NODE);
  const silent = new FakeCall(hub, { id: "silent" });
  hub.close();
  const late = new FakeCall(hub, { id: "late" });
  expect([known, silent, late].map((call) => call.ended?.code)).toEqual([14, 14, 14]);
});

Deno.test("pause() lets nothing out, neither to those who ask nor to those who wait, and resume() only the newest", async () => {
  const { hub, clock } = setUp();
  hub.set("n", config("a=1"));
  const known = new FakeCall(hub, { id: "1" });
  void known.request({ node: { id: "n" } });
  await turn();
  expect(known.names()).toEqual(["a=1"]);

  hub.pause();
  expect(hub.paused).toBe(true);
  const anew = new FakeCall(hub, { id: "2" });
  const held = anew.request({ node: { id: "n" } });
  expect(held).toBeInstanceOf(Promise); // so the transport reads nothing more
  const asked = known.request({ type_url: EDS, resource_names_subscribe: ["x"] });
  hub.set("n", config("a=2"));
  clock.advance(1_000);
  hub.set("n", config("a=3"));
  clock.advance(1_000);
  await turn();
  expect([known.names(), anew.received]).toEqual([["a=1"], []]);

  hub.resume();
  await Promise.all([held, asked]);
  await turn();
  expect(anew.names()).toEqual(["a=3"]);
  void known.request({ response_nonce: known.received[0]!["nonce"] });
  await turn();
  expect(known.names()).toEqual(["a=1", "a=3"]);
  expect(known.received.some((response) => response["type_url"] === EDS)).toBe(true);
  hub.close();
});

Deno.test("pause() sends newcomers away after three seconds, and keeps those it knows", async () => {
  const { hub, clock } = setUp();
  hub.set("n", config("a=1"));
  const known = new FakeCall(hub, { id: "1" });
  void known.request({ node: { id: "n" } });
  hub.pause();
  const early = new FakeCall(hub, { id: "2" });
  void early.request({ node: { id: "n" } });
  clock.advance(2_999);
  expect(early.ended).toBeUndefined();
  clock.advance(1);
  const late = new FakeCall(hub, { id: "3" });
  expect([early.ended?.code, late.ended?.code, known.ended]).toEqual([14, 14, undefined]);
  hub.resume();
  const after = new FakeCall(hub, { id: "4" });
  void after.request({ node: { id: "n" } });
  await turn();
  expect([after.names(), early.received, late.received]).toEqual([["a=1"], [], []]);
  hub.close();
});

Deno.test("pause() ends with the hub: nobody waits for ever", async () => {
  const { hub } = setUp();
  hub.pause();
  const call = new FakeCall(hub);
  const held = call.request({ node: { id: "n" } });
  hub.close();
  await held;
  expect([call.ended?.code, hub.paused]).toEqual([14, false]);
});
