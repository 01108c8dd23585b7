import { expect } from "expect";
import { EventLog } from "./events.ts";

function about(name: string) {
  return { kind: "X", namespace: "d", name };
}

Deno.test("EventLog counts what repeats, and forgets the oldest of the noisiest first", () => {
  const log = new EventLog({ total: 5, perObject: 3 });
  const record = (name: string, message: string, ms: number) =>
    log.record({ about: about(name), type: "Normal", reason: "R", message }, ms);
  record("quiet", "once", 0);
  for (let i = 0; i < 10; i++) record("noisy", `m${i}`, 1000 * i);
  record("quiet", "once", 60_000);
  expect(log.list().map(({ message, count }) => `${message} ${count}`)).toEqual(["m7 1", "m8 1", "m9 1", "once 2"]);
  expect(log.list(about("quiet"))).toMatchObject([{
    firstSeen: "1970-01-01T00:00:00Z",
    lastSeen: "1970-01-01T00:01:00Z",
  }]);
  for (const name of ["a", "b", "c"]) record(name, "x", 90_000);
  expect(log.list().map(({ message }) => message)).toEqual(["m9", "once", "x", "x", "x"]);
});

Deno.test("EventLog says what is to be written, each change once", () => {
  const log = new EventLog({ total: 1, perObject: 1 });
  const record = (message: string) => log.record({ about: about("a"), type: "Warning", reason: "R", message }, 0);
  record("one");
  record("two");
  expect([...log.pending().values()].map((event) => event?.message)).toEqual([undefined, "two"]);
  log.written();
  expect(log.pending().size).toBe(0);
  record("x".repeat(5000));
  expect(log.list()[0]!.message.length).toBe(1024);
});
