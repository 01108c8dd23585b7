import { expect } from "expect";
import {
  electionStep,
  type ElectionView,
  identityOf,
  leaseRequestTimeoutOf,
  leaseTimesProblem,
  nameOf,
  writeTimeoutOf,
} from "./election.ts";
import type { Lease } from "./lease.ts";

const SELF = { name: "xds-0", bootId: "b1" };

function lease(holder: string): Lease {
  return {
    name: "l",
    uid: "u",
    resourceVersion: "1",
    holder,
    durationMs: 15_000,
    transitions: 0,
    labels: {},
    annotations: {},
  };
}

function step(view: Partial<ElectionView>): string {
  return electionStep({ lease: undefined, sighting: undefined, self: SELF, now: 100_000, first: false, ...view });
}

Deno.test("electionStep() waits for another as long as it promised to renew, counted from when that was seen", () => {
  const other = lease("xds-1_b9");
  expect(step({ lease: other, sighting: { mark: "m", at: 100_000 } })).toBe("wait");
  expect(step({ lease: other, sighting: { mark: "m", at: 85_001 } })).toBe("wait");
  expect(step({ lease: other, sighting: { mark: "m", at: 85_000 } })).toBe("take");
});

Deno.test("electionStep() creates what is not there, takes what was given back, renews its own", () => {
  const sighting = { mark: "m", at: 100_000 };
  expect(step({})).toBe("create");
  expect(step({ lease: lease(""), sighting })).toBe("take");
  expect(step({ lease: lease("xds-0_b1"), sighting })).toBe("renew");
});

Deno.test("electionStep() takes what an earlier life of the same replica has left, but only at the first look", () => {
  const sighting = { mark: "m", at: 100_000 };
  expect(step({ lease: lease("xds-0_b0"), sighting, first: true })).toBe("take");
  expect(step({ lease: lease("xds-0_b0"), sighting })).toBe("wait");
  expect(step({ lease: lease("xds-00_b0"), sighting, first: true })).toBe("wait");
});

Deno.test("nameOf() undoes identityOf(), whatever the name holds", () => {
  for (const name of ["xds-0", "a_b_c", "x"]) expect(nameOf(identityOf({ name, bootId: "b-1" }))).toBe(name);
});

Deno.test("leaseTimesProblem() lets no two leaders overlap", () => {
  expect(leaseTimesProblem({ durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 })).toBeUndefined();
  expect(leaseTimesProblem({ durationMs: 10_000, renewDeadlineMs: 10_000, retryMs: 2_000 })).toContain("shorter");
  expect(leaseTimesProblem({ durationMs: 1_500, renewDeadlineMs: 1_000, retryMs: 200 })).toContain("whole seconds");
  expect(leaseTimesProblem({ durationMs: 15_000, renewDeadlineMs: 2_000, retryMs: 2_000 })).toContain("retry");
});

Deno.test("no write and no request outlives the time in which its replica may lead", () => {
  const usual = { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 };
  expect([writeTimeoutOf(usual), leaseRequestTimeoutOf(usual)]).toEqual([5_000, 5_000]);
  const short = { durationMs: 2_000, renewDeadlineMs: 1_500, retryMs: 200 };
  expect([writeTimeoutOf(short), leaseRequestTimeoutOf(short)]).toEqual([1_000, 750]);
});
