import { expect } from "expect";
import { ManualClock } from "../../../base/mod.ts";
import { ReplicaReports } from "./replica_reports.ts";

/** Leases by namespace, as an API server would list them: name to the time of its renewal, and what it tells. */
function setUp() {
  const clock = new ManualClock();
  const leases: Record<string, Record<string, readonly [renewTime: string, told?: string]>> = {};
  const reports = new ReplicaReports({
    connection: {
      request(path) {
        const [, namespace = ""] = /namespaces\/([^/]+)\/leases$/.exec(path) ?? [];
        const items = Object.entries(leases[namespace] ?? {}).map(([name, [renewTime, told]]) => ({
          metadata: {
            ...{ name: `chancery-replica-${name}`, uid: name, resourceVersion: renewTime },
            ...(told !== undefined && { annotations: { told } }),
          },
          spec: { holderIdentity: `boot of ${name}`, leaseDurationSeconds: 15, renewTime },
        }));
        return Promise.resolve(Response.json({ items }));
      },
    },
    ...{ selector: "a=b", clock, timeoutMs: 1000, forgetAfterMs: 30_000 },
  });
  const names = async (namespace: string) => (await reports.of(namespace)).map(({ name }) => name);
  return { clock, leases, reports, names };
}

Deno.test("ReplicaReports tells what replicas say, of each namespace its own", async () => {
  const { leases, reports } = setUp();
  leases["shop"] = { "xds-1": ["1"], "xds-0": ["1", "x"] };
  leases["blog"] = { "xds-0": ["1", "y"] };
  expect(await reports.of("shop")).toEqual([
    { name: "xds-0", annotations: { told: "x" } },
    { name: "xds-1", annotations: {} },
  ]);
  expect(await reports.of("blog")).toEqual([{ name: "xds-0", annotations: { told: "y" } }]);
  expect(await reports.of("other")).toEqual([]);
});

Deno.test("ReplicaReports takes for dead who was not seen to renew, and nobody after a long time without a look", async () => {
  const { clock, leases, names } = setUp();
  leases["shop"] = { live: ["1"], dead: ["1"] };
  expect(await names("shop")).toEqual(["dead", "live"]);
  clock.advance(10_000);
  leases["shop"] = { live: ["2"], dead: ["1"] };
  expect(await names("shop")).toEqual(["dead", "live"]);
  clock.advance(6_000);
  expect(await names("shop")).toEqual(["live"]);
  clock.advance(31_000);
  expect(await names("shop")).toEqual(["dead", "live"]); // only the next looks can tell
  clock.advance(15_000);
  leases["shop"] = { live: ["3"], dead: ["1"] };
  expect(await names("shop")).toEqual(["live"]);
});
