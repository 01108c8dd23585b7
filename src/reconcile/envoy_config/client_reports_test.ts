import { expect } from "expect";
import type { ReplicaReport } from "../../api/mod.ts";
import { type ClientReport, ownReport, reportDueAt } from "./client_reports.ts";
import { WritePace } from "../engine/write_pace.ts";

const NOW = 1_000_000;
const REPLICA = { name: "a", bootId: "2" };

function said(accepted: number, rejected = 0, pending = 0): ClientReport {
  const connected = accepted + rejected + pending;
  return { revision: "v", connected, sent: connected, accepted, rejected, refusedData: 0, pending, rejections: [] };
}

function stored(report: ClientReport, bootId = "2"): ReplicaReport {
  const { connected, sent, accepted, rejected, refusedData, pending } = report;
  return { bootId, publication: "v", connected, sent, accepted, rejected, refusedData, pending };
}

const WRITES = [
  { name: "nobody is there and nobody was", now: said(0), writtenAt: undefined, due: undefined },
  {
    name: "nobody is there in this life",
    now: said(0),
    before: stored(said(3), "1"),
    writtenAt: undefined,
    due: undefined,
  },
  { name: "the last one went away", now: said(0), before: stored(said(1)), writtenAt: NOW - 5000, due: NOW },
  { name: "the first word", now: said(0, 0, 1), writtenAt: undefined, due: NOW },
  { name: "nothing new", now: said(1), before: stored(said(1)), writtenAt: NOW - 5000, due: undefined },
  {
    name: "the first verdict goes at once",
    now: said(1, 0, 1),
    before: stored(said(0, 0, 2)),
    writtenAt: NOW - 10,
    due: NOW,
  },
  {
    name: "the first refusal goes at once",
    now: said(1, 1),
    before: stored(said(1, 0, 1)),
    writtenAt: NOW - 10,
    due: NOW,
  },
  { name: "later ones wait", now: said(3), before: stored(said(2, 0, 1)), writtenAt: NOW - 500, due: NOW + 1500 },
  { name: "later ones that have waited", now: said(3), before: stored(said(2, 0, 1)), writtenAt: NOW - 2000, due: NOW },
];

for (const { name, now, before, writtenAt, due } of WRITES) {
  Deno.test(`a report is written ${due === undefined ? "not" : due === NOW ? "now" : "later"}: ${name}`, () => {
    const { report } = ownReport([now], { publication: "v", stored: undefined, replica: REPLICA, now: NOW });
    expect(reportDueAt(report, { stored: before, writtenAt, now: NOW })).toBe(due);
  });
}

Deno.test("those who were there are expected back for a minute, after a restart and after they left", () => {
  const at = (now: number, before: ReplicaReport) =>
    ownReport([said(0, 1)], { publication: "v", stored: before, replica: REPLICA, now });
  for (const boot of ["1", "2"]) {
    const first = at(NOW, stored(said(3), boot));
    const expectedUntil = new Date(NOW + 60_000).toISOString();
    expect(first).toMatchObject({ report: { connected: 1, expected: 3, expectedUntil }, changesAt: NOW + 60_000 });
    expect(at(NOW + 30_000, first.report)).toEqual(first); // the minute does not begin anew
    expect(at(NOW + 60_000, first.report).report.expected).toBeUndefined();
    expect(at(NOW, { ...stored(said(3), boot), publication: "u" }).report.expected).toBeUndefined();
  }
});

Deno.test("a report keeps the first five refusals, shortened", () => {
  const rejections = Array.from({ length: 9 }, (_, index) => ({
    streamId: String(index),
    client: "edge",
    typeUrl: "t",
    version: "1",
    message: `${"x".repeat(5000)}\n`,
    at: NOW + index,
  }));
  const { report } = ownReport([{ ...said(0, 9), firstRefusalAt: NOW, rejections }], {
    publication: "v",
    stored: undefined,
    replica: REPLICA,
    now: NOW,
  });
  expect(report.rejections?.map(({ stream, message }) => [stream, message.length])).toEqual(
    ["0", "1", "2", "3", "4"].map((stream) => [stream, 1000]),
  );
});

Deno.test("a replica writes at most twenty reports a second", () => {
  const pace = new WritePace();
  const waits = Array.from({ length: 25 }, (_, index) => pace.take(`node-${index}`, NOW + index));
  expect(waits.filter((wait) => wait === 0)).toHaveLength(20);
  expect(waits[20]).toBe(980);
  expect(pace.take("node-20", NOW + 1000)).toBe(0);
  expect([pace.writtenAt("node-0"), pace.writtenAt("node-24")]).toEqual([NOW, undefined]);
});

Deno.test("of many that have to wait not all come back at once", () => {
  const pace = new WritePace();
  const waits = Array.from({ length: 200 }, (_, index) => pace.take(`node-${index}`, NOW)).slice(20);
  expect(waits.slice(0, 41).filter((wait) => wait > 1000)).toHaveLength(21);
  expect([Math.min(...waits), Math.max(...waits)]).toEqual([1000, 5000]);
});

Deno.test("where it is asked for, a replica writes for one node at most so often", () => {
  const pace = new WritePace({ perNodeMs: 2000 });
  expect([pace.take("a", NOW), pace.take("b", NOW), pace.take("a", NOW + 500)]).toEqual([0, 0, 1500]);
  expect(pace.take("a", NOW + 2000)).toBe(0);
});
