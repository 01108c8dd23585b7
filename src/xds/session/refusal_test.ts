import { expect } from "expect";
import { Dialogue, snapshot } from "./model/dialogue.ts";

for (const protocol of ["sotw", "delta"] as const) {
  Deno.test(`I5: a response that a ${protocol} client refused is not repeated for the same snapshot`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot("CDS a=1"));
    stream.ask("CDS");
    stream.ack("CDS");
    expect(stream.offer(snapshot("CDS a=2"))).toEqual(["CDS a=2"]);
    expect(stream.nack("CDS", "a is bad")).toEqual([]);
    expect(stream.pass(3_600_000)).toEqual([]);
  });

  Deno.test(`a listener that a ${protocol} client refused for a missing cluster is tried again with the next snapshot, once`, () => {
    const stream = new Dialogue(protocol);
    stream.offer(snapshot("CDS a=1", "LDS l=1"));
    stream.ask("CDS");
    stream.ack("CDS");
    stream.ask("LDS");
    expect(stream.nack("LDS", "unknown cluster b")).toEqual([]);
    expect(stream.offer(snapshot("CDS a=1 b=1", "LDS l=1"))).toEqual([protocol === "sotw" ? "CDS a=1 b=1" : "CDS b=1"]);
    expect(stream.ack("CDS")).toEqual(["LDS l=1"]);
    expect(stream.nack("LDS", "still")).toEqual([]);
  });
}

Deno.test("everything named in a refused response is sent again by the next snapshot, at the last acknowledged version too", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=1 b=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  expect(stream.offer(snapshot("CDS a=2 b=2"))).toEqual(["CDS a=2 b=2"]);
  stream.nack("CDS", "b is bad");
  expect(stream.offer(snapshot("CDS a=1 b=1"))).toEqual(["CDS a=1 b=1"]);
});

Deno.test("names whose removal was refused are removed again by the next snapshot", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("LDS l=1 m=1"));
  stream.ask("LDS");
  stream.ack("LDS");
  expect(stream.offer(snapshot("LDS l=2"))).toEqual(["LDS l=2 -m"]);
  stream.nack("LDS", "l is bad");
  expect(stream.offer(snapshot("LDS l=1"))).toEqual(["LDS l=1 -m"]);
});

Deno.test("a request that refuses and asks for new names is answered for the new names only", () => {
  const delta = new Dialogue("delta");
  delta.offer(snapshot("EDS x=1 y=1"));
  delta.ask("EDS", ["x"]);
  expect(delta.nack("EDS", "bad", { subscribe: ["y"] })).toEqual(["EDS y=1"]);
  const sotw = new Dialogue("sotw");
  sotw.offer(snapshot("EDS x=1 y=1"));
  sotw.ask("EDS", ["x"]);
  expect(sotw.nack("EDS", "bad", { names: ["x", "y"] })).toEqual(["EDS y=1"]);
  expect(sotw.ack("EDS", { names: ["x", "y"] })).toEqual([]);
});

Deno.test("a refusal freezes the removal of clusters until the next snapshot", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=1 b=1", "LDS l=1"));
  stream.ask("CDS");
  stream.ack("CDS");
  stream.ask("LDS");
  stream.ack("LDS");
  expect(stream.offer(snapshot("CDS a=1", "LDS l=2"))).toEqual(["LDS l=2"]);
  stream.nack("LDS", "l is bad");
  expect(stream.pass(600_000)).toEqual([]);
  expect(stream.offer(snapshot("CDS a=1", "LDS l=3"))).toEqual(["LDS l=3"]);
  stream.ack("LDS");
  expect(stream.pass(60_000)).toEqual(["CDS -b"]);
});

Deno.test("with nothing better left a refused response is tried after 30 s, then ever more rarely up to 10 min", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("LDS l=1"), { retryRefused: true });
  stream.ask("LDS");
  const waits: number[] = [];
  for (let attempt = 0; attempt < 7; attempt++) {
    expect(stream.nack("LDS", "port in use")).toEqual([]);
    const from = stream.now;
    stream.now = stream.last!.wakeAt!;
    waits.push(stream.now - from);
    expect(stream.pass(0)).toEqual(["LDS l=1"]);
  }
  expect(waits).toEqual([30_000, 60_000, 120_000, 240_000, 480_000, 600_000, 600_000]);
  stream.ack("LDS");
  expect(stream.pass(3_600_000)).toEqual([]);
});

Deno.test("W10: a refusal is kept in the client's words, with version and revision", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("LDS l=1"));
  stream.ask("LDS");
  stream.nack("LDS", "Error adding listener l: port in use");
  const refused = [...stream.state.types.values()][0]?.refused;
  expect(refused).toMatchObject({ message: "Error adding listener l: port in use", attempts: 1 });
  expect(refused?.revision).toBe(stream.state.offer?.snapshot.revision);
});

Deno.test("a refused response is tried again when it turns out that nothing better is left", () => {
  const stream = new Dialogue("delta");
  const config = snapshot("LDS l=1");
  stream.offer(config);
  stream.ask("LDS");
  stream.nack("LDS", "port in use");
  expect(stream.pass(60_000)).toEqual([]);
  expect(stream.offerAgain({ retryRefused: true })).toEqual(["LDS l=1"]);
});
