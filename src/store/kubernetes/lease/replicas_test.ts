import { expect } from "expect";
import type { Lease } from "./lease.ts";
import { liveReplicas, longDead, type SeenReplicas, seenReplicas } from "./replicas.ts";

const SELF = { name: "xds-0", bootId: "b0" };

function lease(replica: string, renewTime: string, holder = `boot of ${replica}`): Lease {
  const name = `chancery-replica-${replica}`;
  return {
    name,
    uid: replica,
    resourceVersion: renewTime,
    holder,
    durationMs: 15_000,
    renewTime,
    transitions: 0,
    labels: {},
    annotations: {},
  };
}

function names(seen: SeenReplicas, now: number): string[] {
  return [...liveReplicas(seen, SELF, now).keys()];
}

Deno.test("liveReplicas() believes in whoever was seen to renew within the promised time, whatever their clocks say", () => {
  // The clock of xds-1 is a day behind, that of xds-2 a day ahead: only that they move counts.
  let seen = seenReplicas(new Map(), [lease("xds-1", "2026-01-01"), lease("xds-2", "2026-01-03")], 1_000);
  expect(names(seen, 15_999)).toEqual(["xds-0", "xds-1", "xds-2"]);
  seen = seenReplicas(seen, [lease("xds-1", "2026-01-01"), lease("xds-2", "2026-01-03 and a bit")], 15_000);
  expect(names(seen, 16_000)).toEqual(["xds-0", "xds-2"]);
  expect(names(seen, 30_000)).toEqual(["xds-0"]);
});

Deno.test("liveReplicas() knows a removed or given back Lease as dead at once, and always itself", () => {
  const all = [lease("xds-1", "t"), lease("xds-2", "t", ""), lease("xds-0", "t", "boot id of an earlier life")];
  const seen = seenReplicas(new Map(), all, 0);
  expect([...liveReplicas(seen, SELF, 1)]).toEqual([["xds-0", "b0"], ["xds-1", "boot of xds-1"]]);
  expect(names(seenReplicas(seen, [], 1), 1)).toEqual(["xds-0"]);
});

Deno.test("seenReplicas() leaves Leases alone that are of no replica", () => {
  expect(seenReplicas(new Map(), [{ ...lease("x", "t"), name: "chancery-discovery-service" }], 0).size).toBe(0);
});

Deno.test("longDead() names Leases some time after they ran out, and never our own", () => {
  const seen = seenReplicas(new Map(), [lease("xds-1", "t"), lease("xds-0", "t")], 0);
  expect(longDead(seen, SELF, { now: 74_999, afterMs: 60_000 })).toEqual([]);
  expect(longDead(seen, SELF, { now: 75_000, afterMs: 60_000 }).map(({ name }) => name)).toEqual([
    "chancery-replica-xds-1",
  ]);
});
