import { expect } from "expect";
import type { StoredObject } from "../../store/mod.ts";
import { problemOf } from "./replica_signs.ts";

const NOW = Date.parse("2026-01-31T12:00:00Z");

function lease(secondsAgo: number, holderIdentity = "boot"): StoredObject {
  const renewTime = new Date(NOW - secondsAgo * 1000).toISOString().replace("Z", "000Z");
  const metadata = { name: "chancery-replica-a", namespace: "xds" } as StoredObject["metadata"]; // nothing else is looked at
  return {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata,
    spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
  };
}

Deno.test("problemOf() believes in a replica for as long as its Lease lasts, and a little longer as clocks differ", () => {
  for (const leases of [[lease(1)], [lease(29)], [lease(-60)], [lease(3_600), lease(2)]]) {
    expect(problemOf(leases, NOW)).toBe(undefined);
  }
  expect(problemOf([lease(31), lease(90)], NOW)).toBe(
    "no replica of the discovery service lives, the last one showed a sign of life at 2026-01-31T11:59:29.000Z: " +
      "what is told may be old, and what is changed is not looked at",
  );
  expect(problemOf([lease(1, "")], NOW)).toContain("no replica of the discovery service lives"); // given back
  expect(problemOf([], NOW)).toBe(
    "no replica of the discovery service lives: what is told may be old, and what is changed is not looked at",
  );
});
