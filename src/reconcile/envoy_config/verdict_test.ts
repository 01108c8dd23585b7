import { expect } from "expect";
import type { ReplicaReport } from "../../api/mod.ts";
import { judge, tallyText } from "./verdict.ts";

/** One replica's word: how many accept, refuse, refuse data, stay silent. */
function report(
  [accepted, rejected, refusedData, pending]: readonly [number, number, number, number],
  { boot = "1", publication = "v", expected = 0 } = {},
): ReplicaReport {
  const sent = accepted + rejected + refusedData + pending;
  return {
    bootId: boot,
    publication,
    connected: sent,
    sent,
    accepted,
    rejected,
    refusedData,
    pending,
    ...(expected > 0 ? { expected } : {}),
  };
}

interface Row {
  readonly name: string;
  readonly replicas: Record<string, ReplicaReport>;
  readonly lives?: string[];
  readonly percent?: number;
  /** Seconds since it was seen first to be published, and to be refused. */
  readonly publishedAgo?: number;
  readonly refusedAgo?: number;
  readonly verdict: "tainted" | "accepted" | "open";
  /** Seconds from now. */
  readonly lookAgainIn?: number;
}

const ROWS: readonly Row[] = [
  { name: "nobody is connected", replicas: { a: report([0, 0, 0, 0]) }, verdict: "open" },
  { name: "one client refuses", replicas: { a: report([0, 1, 0, 0]) }, verdict: "tainted" },
  { name: "one client accepts", replicas: { a: report([1, 0, 0, 0]) }, verdict: "accepted" },
  { name: "not all have accepted", replicas: { a: report([3, 0, 0, 1]) }, verdict: "open" },
  { name: "all refuse", replicas: { a: report([0, 100, 0, 0]) }, verdict: "tainted" },
  { name: "one odd client of a hundred", replicas: { a: report([99, 1, 0, 0]) }, refusedAgo: 60, verdict: "open" },
  {
    name: "one refuses, all others are silent for long",
    replicas: { a: report([0, 1, 0, 99]) },
    refusedAgo: 60,
    verdict: "open",
  },
  {
    name: "several refuse, and one is silent for a while",
    replicas: { a: report([0, 3, 0, 1]) },
    refusedAgo: 4,
    verdict: "open",
    lookAgainIn: 6,
  },
  {
    name: "several refuse, and one is silent for long",
    replicas: { a: report([0, 3, 0, 1]) },
    refusedAgo: 10,
    verdict: "tainted",
  },
  {
    name: "refusals first, one acceptance later",
    replicas: { a: report([1, 98, 0, 1]) },
    refusedAgo: 60,
    verdict: "open",
  },
  { name: "W15: all refuse data only", replicas: { a: report([0, 0, 5, 0]) }, verdict: "open" },
  {
    name: "W15: one refuses data, the other the spec",
    replicas: { a: report([0, 1, 1, 0]) },
    refusedAgo: 60,
    verdict: "open",
  },
  {
    name: "half of them, where half is enough",
    replicas: { a: report([2, 2, 0, 0]) },
    percent: 50,
    verdict: "tainted",
  },
  { name: "fewer than half of them", replicas: { a: report([3, 2, 0, 0]) }, percent: 50, verdict: "open" },
  {
    name: "refusals are counted against all it was sent to",
    replicas: { a: report([0, 4, 0, 6]) },
    refusedAgo: 1,
    percent: 50,
    verdict: "open",
    lookAgainIn: 9,
  },
  {
    name: "W27: two replicas, all of both refuse",
    replicas: { a: report([0, 1, 0, 0]), b: report([0, 2, 0, 0]) },
    lives: ["a", "b"],
    verdict: "tainted",
  },
  {
    name: "W27: two replicas, those of one accept",
    replicas: { a: report([0, 9, 0, 0]), b: report([1, 0, 0, 0]) },
    refusedAgo: 60,
    lives: ["a", "b"],
    verdict: "open",
  },
  {
    name: "W27: the other replica has not reported yet",
    replicas: { a: report([0, 1, 0, 0]), b: report([1, 0, 0, 0], { publication: "before" }) },
    lives: ["a", "b"],
    publishedAgo: 3,
    verdict: "open",
    lookAgainIn: 7,
  },
  {
    name: "W27: all of one replica accept, the other has not reported yet",
    replicas: { a: report([2, 0, 0, 0]) },
    lives: ["a", "b"],
    publishedAgo: 3,
    verdict: "open",
    lookAgainIn: 7,
  },
  {
    name: "W27: all of one replica accept, the other does not report",
    replicas: { a: report([2, 0, 0, 0]) },
    lives: ["a", "b"],
    publishedAgo: 10,
    verdict: "accepted",
  },
  {
    name: "W27: the other replica does not report",
    replicas: { a: report([0, 1, 0, 0]) },
    lives: ["a", "b"],
    publishedAgo: 10,
    verdict: "tainted",
  },
  {
    name: "what a replica that lives no more said does not count",
    replicas: { a: report([0, 1, 0, 0]), dead: report([9, 0, 0, 0]) },
    verdict: "tainted",
  },
  {
    name: "nor what was said in an earlier life",
    replicas: { a: report([0, 1, 0, 0], { boot: "0" }) },
    verdict: "open",
  },
  {
    name: "all accept, but the Envoys of a replica that was started again are not back",
    replicas: { a: report([2, 0, 0, 0]), b: report([1, 0, 0, 0], { boot: "0" }) },
    lives: ["a", "b"],
    verdict: "open",
  },
  {
    name: "all accept, and the replica that was started again had none",
    replicas: { a: report([2, 0, 0, 0]), b: report([0, 0, 0, 0], { boot: "0" }) },
    lives: ["a", "b"],
    verdict: "accepted",
  },
  {
    name: "nor what was said of another publication",
    replicas: { a: report([0, 1, 0, 0], { publication: "v-r1" }) },
    verdict: "open",
  },
  {
    name: "the first to come back after a restart does not speak for all",
    replicas: { a: report([0, 1, 0, 0], { expected: 100 }) },
    refusedAgo: 30,
    verdict: "open",
  },
];

for (const row of ROWS) {
  const { name, replicas, lives = ["a"], percent = 100, publishedAgo = 100, refusedAgo = 0, verdict, lookAgainIn } =
    row;
  const [, number = "W16", text = name] = /^(W\d+): (.*)$/.exec(name) ?? [];
  Deno.test(`${number}: judge(): ${text}: ${verdict}`, () => {
    const judged = judge(replicas, {
      publication: "v",
      publishedMs: publishedAgo * 1000,
      refusedMs: refusedAgo * 1000,
      replicas: new Map(lives.map((replica) => [replica, "1"])),
      rejectedPercent: percent,
    });
    const again = judged.recheckInMs === undefined ? undefined : judged.recheckInMs / 1000;
    expect({ verdict: judged.kind, again }).toEqual({ verdict, again: lookAgainIn });
  });
}

Deno.test("W10: tallyText() tells in Envoy's words, each once, of three at most", () => {
  const rejections = ["a", "a", "b", "c"].map((client, index) => ({
    stream: String(index),
    client,
    type: "type.googleapis.com/envoy.config.listener.v3.Listener",
    version: "1",
    message: "no such filter",
    at: "2026-03-04T05:06:07.000Z",
  }));
  const counts = { replicas: 1, connected: 5, sent: 5, accepted: 1, rejected: 4, refusedData: 0, silent: 0 };
  expect(tallyText({ ...counts, rejections })).toBe(
    '4 of 5 Envoys refused it: Listener by "a": no such filter; Listener by "b": no such filter',
  );
});
