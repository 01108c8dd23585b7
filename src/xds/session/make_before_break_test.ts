import { expect } from "expect";
import { Dialogue, snapshot } from "./model/dialogue.ts";

const BEFORE = snapshot("CDS a=1@a", "EDS a=1", "SDS s=1", "LDS l=1", "RDS r=1");
const AFTER = snapshot("CDS b=1@b", "EDS b=1", "SDS s=2", "LDS l=2", "RDS r=2");

function settled(protocol: "sotw" | "delta", policy = {}): Dialogue {
  const stream = new Dialogue(protocol, policy);
  stream.offer(BEFORE);
  const asked: [string, string[]][] = [["CDS", []], ["EDS", ["a"]], ["SDS", ["s"]], ["LDS", []], ["RDS", ["r"]]];
  for (const [short, names] of asked) {
    stream.ask(short, names);
    stream.ack(short);
  }
  return stream;
}

Deno.test("clusters come first and as a superset, then listeners, then routes, removals last", () => {
  const stream = settled("delta");
  expect(stream.offer(AFTER)).toEqual(["CDS b=1", "SDS s=2"]);
  expect(stream.ask("EDS", ["b"])).toEqual(["EDS b=1"]);
  stream.ack("EDS");
  stream.ack("SDS");
  expect(stream.ack("CDS")).toEqual(["LDS l=2"]);
  expect(stream.ack("LDS")).toEqual(["RDS r=2"]);
  expect(stream.ack("RDS")).toEqual([]);
  expect(stream.pass(59_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["CDS -a", "EDS -a"]);
});

Deno.test("a state-of-the-world client is told old and new clusters until the old may go", () => {
  const stream = settled("sotw");
  expect(stream.offer(AFTER)).toEqual(["CDS b=1 a=1", "SDS s=2"]);
  stream.ack("SDS");
  expect(stream.ack("CDS")).toEqual(["LDS l=2"]);
  expect(stream.ack("LDS")).toEqual(["RDS r=2"]);
  stream.ack("RDS");
  expect(stream.pass(60_000)).toEqual(["CDS b=1"]);
});

Deno.test("listeners wait five seconds for clusters that do not warm, and routes for listeners", () => {
  const stream = settled("delta");
  stream.offer(AFTER);
  expect(stream.state.types.get(stream.last!.sends[0]!.typeUrl)?.inFlight.length).toBe(1);
  expect(stream.pass(4_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["LDS l=2"]);
  expect(stream.pass(4_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["RDS r=2"]);
});

Deno.test("a listener that takes the place of another goes in the response that removes the other", () => {
  const stream = settled("delta");
  expect(stream.offer(snapshot("CDS a=1@a", "EDS a=1", "SDS s=1", "LDS renamed=1", "RDS r=1"))).toEqual([
    "LDS renamed=1 -l",
  ]);
});

Deno.test("a hold never waits for a type that the stream did not ask for", () => {
  const stream = new Dialogue("delta");
  stream.offer(BEFORE);
  stream.ask("LDS");
  stream.ack("LDS");
  expect(stream.offer(AFTER)).toEqual(["LDS l=2"]);
});

Deno.test("endpoints of a changed cluster follow although unchanged, since a warming Envoy does not ask again", () => {
  for (const protocol of ["sotw", "delta"] as const) {
    const stream = settled(protocol);
    const changed = snapshot("CDS a=2@a", "EDS a=1", "SDS s=1", "LDS l=1", "RDS r=1");
    expect(stream.offer(changed)).toEqual(["CDS a=2", "EDS a=1"]);
  }
});

Deno.test("a returning client that re-warms a cluster gets its endpoints although it holds them", () => {
  const stream = new Dialogue("delta");
  stream.offer(snapshot("CDS a=2@a", "EDS a=1"));
  expect(stream.ask("CDS", [], { initialVersions: new Map([["a", "1"]]) })).toEqual(["CDS a=2"]);
  expect(stream.ask("EDS", ["a"], { initialVersions: new Map([["a", "1"]]) })).toEqual(["EDS a=1"]);
});

Deno.test("a returning client's listeners wait for the clusters they may need, a new client's routes for a moment", () => {
  const stream = new Dialogue("delta");
  stream.offer(AFTER);
  stream.ask("CDS", [], { initialVersions: new Map([["a", "1"]]) });
  expect(stream.ask("LDS", [], { initialVersions: new Map([["l", "1"]]) })).toEqual([]);
  expect(stream.ask("RDS", ["r"])).toEqual([]);
  expect(stream.pass(1_000)).toEqual(["RDS r=2"]);
  expect(stream.ack("CDS")).toEqual(["LDS l=2"]);
});

Deno.test("a returning client keeps its clusters until its listeners have moved, though it asks for these last", () => {
  for (const short of ["LDS", "RDS"]) {
    const name = short[0]!.toLowerCase();
    const stream = new Dialogue("delta", { removalDelayMs: 300 });
    stream.offer(AFTER);
    expect(stream.ask("CDS", [], { initialVersions: new Map([["a", "1"]]) })).toEqual(["CDS b=1"]);
    const claims = { initialVersions: new Map([[name, "1"]]) };
    expect(stream.ask(short, short === "LDS" ? [] : [name], claims)).toEqual([]);
    expect(stream.pass(4_000)).toEqual([]); // clusters warm
    expect(stream.ack("CDS")).toEqual([`${short} ${name}=2`]);
    expect(stream.pass(4_000)).toEqual([]);
    expect(stream.ack(short)).toEqual([]);
    expect(stream.pass(299)).toEqual([]);
    expect(stream.pass(1)).toEqual(["CDS -a"]);
  }
});

Deno.test("what a client still needs is answered as of the last clusters it has acknowledged, until all has settled", () => {
  const stream = settled("delta");
  stream.offer(AFTER);
  stream.ask("RDS", [], { unsubscribe: ["r"] });
  stream.offer(snapshot("CDS b=1@b", "EDS b=1", "SDS s=2", "LDS l=3"));
  expect([...stream.ask("RDS", ["r"]), ...stream.pass(1_000)]).toEqual(["RDS r=1"]);
});

Deno.test("a cluster that is wanted again keeps its place, one that goes again starts its delay anew", () => {
  const stream = settled("delta");
  const without = snapshot("SDS s=1", "LDS l=1", "RDS r=1");
  stream.offer(without);
  expect(stream.pass(50_000)).toEqual([]);
  expect(stream.offer(BEFORE)).toEqual([]);
  expect(stream.pass(50_000)).toEqual([]);
  expect(stream.offer(without)).toEqual([]);
  expect(stream.pass(59_999)).toEqual([]);
  expect(stream.pass(1)).toContain("CDS -a");
});

Deno.test("clusters go in time although snapshots keep coming", () => {
  const stream = settled("delta");
  stream.offer(snapshot("CDS", "EDS e=0", "SDS s=1", "LDS l=1", "RDS r=1"));
  const said: string[] = [];
  for (let i = 1; i <= 61; i++) {
    said.push(...stream.pass(1_000), ...stream.offer(snapshot(`EDS e=${i}`, "SDS s=1", "LDS l=1", "RDS r=1")));
  }
  expect(said).toContain("CDS -a");
});

Deno.test("without make-before-break a snapshot is sent as given, all types at once", () => {
  const stream = settled("delta", { makeBeforeBreak: false });
  expect(stream.offer(AFTER)).toEqual(["CDS b=1 -a", "EDS -a", "SDS s=2", "LDS l=2", "RDS r=2"]);
});

Deno.test("without a removal delay clusters go as soon as everything else is acknowledged", () => {
  const stream = settled("delta", { removalDelayMs: 0 });
  stream.offer(AFTER);
  stream.ack("SDS");
  stream.ack("CDS");
  stream.ack("LDS");
  expect(stream.ack("RDS")).toEqual(["CDS -a", "EDS -a"]);
});

Deno.test("a hold tells what it waits for, and since when", () => {
  const stream = settled("delta");
  stream.now = 1_000;
  stream.offer(AFTER);
  const holds = [...stream.state.types.values()].flatMap((type) => type.hold?.waitingFor ?? []);
  expect(holds).toEqual([
    "all types to be acknowledged, before 1 cluster is removed",
    "CDS to be acknowledged",
    "CDS to be acknowledged",
  ]);
});

Deno.test("after a refusal clusters stay for the whole delay again, since what refers to them may have stayed", () => {
  const stream = settled("delta");
  stream.offer(AFTER);
  stream.ask("EDS", ["b"]);
  for (const short of ["EDS", "SDS", "CDS", "LDS", "RDS"]) stream.ack(short);
  stream.pass(30_000);
  stream.offer(snapshot("CDS b=1@b", "EDS b=1", "SDS s=2", "LDS l=3", "RDS r=2"));
  stream.nack("LDS", "l is bad");
  expect(stream.pass(120_000)).toEqual([]);
  expect(stream.offer(snapshot("CDS b=1@b", "EDS b=1", "SDS s=2", "LDS l=4", "RDS r=2"))).toEqual(["LDS l=4"]);
  expect(stream.ack("LDS")).toEqual([]);
  expect(stream.pass(59_999)).toEqual([]);
  expect(stream.pass(1)).toEqual(["CDS -a", "EDS -a"]);
});
