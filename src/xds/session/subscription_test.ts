import { expect } from "expect";
import { Dialogue, snapshot } from "./model/dialogue.ts";

const CONFIG = snapshot("CDS a=1 b=1", "EDS x=1 y=1", "SDS s=1 t=1", "LDS l=1", "RDS r=1 q=1");

Deno.test("W2: a secret that nobody asks for does not keep the others from being delivered", () => {
  const stream = new Dialogue("sotw");
  stream.offer(CONFIG);
  expect(stream.ask("SDS", ["s"])).toEqual(["SDS s=1"]);
});

Deno.test("W2: a change of a resource that nobody asks for sends nothing", () => {
  const stream = new Dialogue("sotw");
  stream.offer(CONFIG);
  stream.ask("SDS", ["s"]);
  stream.ack("SDS");
  expect(stream.offer(snapshot("CDS a=1 b=1", "SDS s=1 t=2"))).toEqual([]);
});

for (const protocol of ["sotw", "delta"] as const) {
  Deno.test(`W8: the first ${protocol} request of every type is answered, also when there is nothing`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot());
    expect(stream.ask("CDS")).toEqual(["CDS"]);
    stream.ack("CDS");
    expect(stream.ask("LDS")).toEqual(["LDS"]);
    stream.ack("LDS");
    expect(stream.ask("RDS", ["r"])).toEqual([protocol === "delta" ? "RDS -r" : "RDS"]);
  });

  Deno.test(`W5: a ${protocol} stream waits without a configuration, and gets one when it comes`, () => {
    const stream = new Dialogue(protocol);
    expect(stream.ask("CDS")).toEqual([]);
    expect(stream.offer(CONFIG)).toEqual(["CDS a=1 b=1"]);
  });

  Deno.test(`a ${protocol} wildcard gets everything, also what is added later`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot("EDS x=1"));
    expect(stream.ask("EDS", ["*"])).toEqual(["EDS x=1"]);
    stream.ack("EDS");
    const all = protocol === "sotw" ? "EDS x=1 y=1" : "EDS y=1";
    expect(stream.offer(snapshot("EDS x=1 y=1"))).toEqual([all]);
  });

  Deno.test(`an empty-string name is a name in ${protocol}, not a wildcard`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot("RDS =7 r=1"));
    expect(stream.ask("RDS", [""])).toEqual(["RDS =7"]);
  });

  Deno.test(`I9: a ${protocol} stream that asks by name is answered with these names only`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(CONFIG);
    expect(stream.ask("EDS", ["y"])).toEqual(["EDS y=1"]);
  });
}

Deno.test("W8: a runtime layer that nobody fills is told to a state-of-the-world client as empty", () => {
  const stream = new Dialogue("sotw");
  stream.offer(snapshot());
  expect(stream.ask("RTDS", ["runtime"])).toEqual(["RTDS runtime=empty"]);
  stream.ack("RTDS");
  expect(stream.offer(snapshot("RTDS runtime=1"))).toEqual(["RTDS runtime=1"]);
  stream.ack("RTDS");
  expect([...stream.offer(snapshot()), ...stream.pass(60_000)]).toEqual(["RTDS runtime=empty"]);
});

Deno.test("W19: a cluster without endpoints is told so at once, and endpoints last known stay when they vanish", () => {
  const stream = new Dialogue("sotw");
  stream.offer(snapshot("CDS a=1@x b=1@y", "EDS y=1"));
  expect(stream.ask("EDS", ["x", "y"])).toEqual(["EDS y=1 x=empty"]);
  stream.ack("EDS");
  expect([...stream.offer(snapshot("CDS a=1@x b=1@y")), ...stream.pass(120_000)]).toEqual([]);
});

Deno.test("a delta name that does not exist is answered at once in removed_resources", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  expect(stream.ask("SDS", ["s", "nobody"])).toEqual(["SDS s=1 -nobody"]);
  expect(stream.ask("SDS", ["nobody either"])).toEqual(["SDS -nobody either"]);
});

Deno.test("(un)subscribing in a delta request counts, whatever its nonce", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  stream.ask("EDS", ["x"]);
  expect(stream.ask("EDS", ["y"], { nonce: "of another life" })).toEqual(["EDS y=1"]);
  stream.ask("EDS", [], { unsubscribe: ["x"], nonce: "stale" });
  expect(stream.offer(snapshot("EDS x=2 y=2"))).toEqual(["EDS y=2"]);
});

Deno.test("a delta name subscribed to once more is answered once more, even if it should be known", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  stream.ask("EDS", ["x"]);
  stream.ack("EDS");
  expect(stream.ask("EDS", ["x"])).toEqual(["EDS x=1"]);
});

Deno.test("a delta name unsubscribed from under a wildcard is answered, because the client may forget it", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  stream.ask("EDS", ["*", "x"]);
  stream.ack("EDS");
  expect(stream.ask("EDS", [], { unsubscribe: ["x"] })).toEqual(["EDS x=1"]);
});

Deno.test("a state-of-the-world request with a stale nonce is ignored", () => {
  const stream = new Dialogue("sotw");
  stream.offer(CONFIG);
  stream.ask("EDS", ["x"]);
  const stale = stream.nonce("EDS");
  stream.ask("EDS", ["x", "y"]);
  stream.ack("EDS");
  expect(stream.ask("EDS", ["y"], { nonce: stale })).toEqual([]);
  expect(stream.offer(snapshot("EDS x=2 y=1"))).toEqual(["EDS x=2 y=1"]);
});

Deno.test("a resource removed and added again with the same version is sent again", () => {
  const stream = new Dialogue("delta", { removalDelayMs: 0 });
  stream.offer(CONFIG);
  stream.ask("CDS");
  stream.ack("CDS");
  expect(stream.offer(snapshot("CDS a=1"))).toEqual(["CDS -b"]);
  stream.ack("CDS");
  expect(stream.offer(CONFIG)).toEqual(["CDS b=1"]);
});

Deno.test("a delta client that comes back is sent only what differs from what it says it holds", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  expect(stream.ask("CDS", [], { initialVersions: new Map([["a", "1"], ["b", "0"]]) })).toEqual(["CDS b=1"]);
});

Deno.test("a name that a returning delta client holds and that is gone is removed in the order of removals, not at once", () => {
  const stream = new Dialogue("delta");
  stream.offer(CONFIG);
  const held = new Map([["a", "1"], ["b", "1"], ["old", "1"]]);
  expect(stream.ask("CDS", [], { initialVersions: held })).toEqual(["CDS"]);
  stream.ack("CDS");
  expect(stream.pass(59_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["CDS -old"]);
});

Deno.test("more names of nothing than allowed end the stream, any number of existing names does not", () => {
  const names = Array.from({ length: 50 }, (_, i) => `n${i}`);
  const stream = new Dialogue("delta", { maxUnknownNames: 10 });
  stream.offer(snapshot(`EDS ${names.map((name) => `${name}=1`).join(" ")}`));
  stream.ask("EDS", names);
  expect(stream.last?.failure).toBeUndefined();
  stream.ask("EDS", Array.from({ length: 11 }, (_, i) => `nothing${i}`));
  expect(stream.last?.failure).toEqual({ code: 8, details: expect.stringContaining("11 subscribed names") });
});

Deno.test("VHDS: an asked host is answered by the virtual host it matches, with the asked name as alias", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("VHDS web/shop=1~shop.example,*.shop.example web/any=1~*.example other/x=1~*"));
  expect(stream.ask("VHDS", ["web/shop.example"])).toEqual(["VHDS web/shop.example=1(web/shop)"]);
  expect(stream.ask("VHDS", ["web/eu.shop.example"])).toEqual(["VHDS web/eu.shop.example=1(web/shop)"]);
  expect(stream.ask("VHDS", ["web/blog.example"])).toEqual(["VHDS web/blog.example=1(web/any)"]);
});

Deno.test("VHDS: an unknown host is answered by a resource without a body, so that Envoy need not wait", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("VHDS web/shop=1~shop.example"));
  expect(stream.ask("VHDS", ["web/nobody.example"])).toEqual(["VHDS web/nobody.example=none"]);
  const found = stream.offer(snapshot("VHDS web/shop=1~shop.example web/new=1~nobody.example"));
  expect(found).toEqual(["VHDS web/nobody.example=1(web/new)"]);
});
