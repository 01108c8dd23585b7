import { expect } from "expect";
import { Dialogue, snapshot } from "./model/dialogue.ts";

Deno.test("I6: one push per type is unacknowledged at a time; newer snapshots become one", () => {
  const stream = new Dialogue("sotw");
  stream.offer(snapshot("CDS a=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  expect(stream.offer(snapshot("CDS a=2"))).toEqual(["CDS a=2"]);
  expect(stream.offer(snapshot("CDS a=3"))).toEqual([]);
  expect(stream.offer(snapshot("CDS a=4"))).toEqual([]);
  expect(stream.ack("CDS")).toEqual(["CDS a=4"]);
});

Deno.test("I6: a push unacknowledged for two seconds is superseded, at most three are in flight", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  expect(stream.offer(snapshot("CDS a=2"))).toEqual(["CDS a=2"]);
  expect(stream.offer(snapshot("CDS a=3"))).toEqual([]);
  expect(stream.pass(1_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["CDS a=3"]);
  expect(stream.offer(snapshot("CDS a=4"))).toEqual([]);
  expect(stream.pass(2_000)).toEqual(["CDS a=4"]);
  expect(stream.offer(snapshot("CDS a=5"))).toEqual([]);
  expect(stream.pass(60_000)).toEqual([]);
  expect(stream.ack("CDS")).toEqual(["CDS a=5"]);
});

Deno.test("an ACK of a state-of-the-world nonce settles the earlier ones", () => {
  const stream = new Dialogue("sotw");
  stream.offer(snapshot("CDS a=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  stream.offer(snapshot("CDS a=2"));
  stream.offer(snapshot("CDS a=3"));
  stream.pass(2_000);
  stream.ack("CDS");
  expect(stream.offer(snapshot("CDS a=4"))).toEqual(["CDS a=4"]);
});

Deno.test("answers to new subscriptions never wait for an acknowledgement", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("EDS x=1 y=1 z=1"));
  expect(stream.ask("EDS", ["x"])).toEqual(["EDS x=1"]);
  stream.ack("EDS");
  expect(stream.offer(snapshot("EDS x=2 y=1 z=1"))).toEqual(["EDS x=2"]);
  expect(stream.ask("EDS", ["y"])).toEqual(["EDS y=1"]);
  expect(stream.ask("EDS", ["z"])).toEqual(["EDS z=1"]);
});

Deno.test("W11: verdicts are matched by their exact nonce within the stream", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("EDS x=1 y=1"));
  stream.ask("EDS", ["x"]);
  const first = stream.nonce("EDS");
  stream.ask("EDS", ["y"]);
  stream.nack("EDS", "no", { nonce: first.slice(0, -1) });
  expect(stream.last?.verdict).toBeUndefined();
  stream.nack("EDS", "bad x", { nonce: first });
  expect(stream.last?.verdict).toMatchObject({ accepted: false, message: "bad x", response: { nonce: first } });
});

Deno.test("I19: a second look at the same moment sends nothing", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=1", "LDS l=1"));
  stream.ask("CDS");
  expect(stream.pass(0)).toEqual([]);
  expect(stream.last?.wakeAt).toBeUndefined();
});
