import { expect } from "expect";
import { ChanceryError, ManualClock } from "../../../base/mod.ts";
import { createLogger } from "../../../telemetry/mod.ts";
import type { Lease } from "./lease.ts";
import { ReplicaCensus } from "./replica_census.ts";

function lease(replica: string, renewTime: string): Lease {
  const name = `chancery-replica-${replica}`;
  const base = {
    uid: replica,
    holder: `boot of ${replica}`,
    durationMs: 15_000,
    transitions: 0,
    labels: {},
    annotations: {},
  };
  return { ...base, name, resourceVersion: renewTime, renewTime };
}

/** A census that looks every 2 s at what `leases` holds, or is refused. */
function setUp({ leading = true } = {}) {
  const clock = new ManualClock();
  const scene = { leases: [] as Lease[], down: false, changes: 0, removed: [] as string[] };
  const census = new ReplicaCensus({
    client: {
      list: () =>
        scene.down ? Promise.reject(new ChanceryError("unavailable", "no answer")) : Promise.resolve(scene.leases),
      remove({ name, resourceVersion }) {
        scene.removed.push(`${name}@${resourceVersion}`);
        scene.leases = scene.leases.filter((one) => one.name !== name);
        return Promise.resolve();
      },
    },
    selector: "",
    self: { name: "self", bootId: "b" },
    everyMs: 2_000,
    forgetAfterMs: 60_000,
    clock,
    log: createLogger({ now: () => 0, write() {} }),
    leading: () => leading,
    onChange: () => scene.changes++,
  });
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    }
  }
  return { scene, census, pass };
}

Deno.test("ReplicaCensus tells when a replica comes, and when it was not seen to renew in time", async () => {
  const { scene, census, pass } = setUp();
  await census.start();
  expect([[...census.live().keys()], scene.changes]).toEqual([["self"], 0]);
  scene.leases = [lease("other", "1")];
  await pass(2_000);
  expect([[...census.live().keys()], scene.changes]).toEqual([["other", "self"], 1]);
  scene.leases = [lease("other", "2")];
  await pass(14_000);
  expect([census.live().size, scene.changes]).toEqual([2, 1]);
  await pass(4_000); // 16 s after the last sign
  expect([census.live().size, scene.changes]).toEqual([1, 2]);
  await census.stop();
});

Deno.test("ReplicaCensus removes the Lease of a replica that is long dead, if it leads", async () => {
  for (const leading of [true, false]) {
    const { scene, census, pass } = setUp({ leading });
    scene.leases = [lease("dead", "1"), lease("self", "1")];
    await census.start();
    await pass(74_000);
    expect(scene.removed).toEqual([]);
    await pass(4_000);
    expect(scene.removed).toEqual(leading ? ["chancery-replica-dead@1"] : []);
    await census.stop();
  }
});

Deno.test("ReplicaCensus takes nobody for dead while it cannot look, nor right after", async () => {
  const { scene, census, pass } = setUp();
  scene.leases = [lease("other", "1"), lease("gone", "1")];
  await census.start();
  scene.down = true;
  await pass(60_000);
  expect([census.problem, [...census.live().keys()], scene.changes]).toEqual([
    "no answer",
    ["gone", "other", "self"],
    1,
  ]);
  scene.down = false;
  await pass(2_000); // nobody had time to renew yet
  expect([census.problem, census.live().size]).toEqual([undefined, 3]);
  scene.leases = [lease("other", "2"), lease("gone", "1")];
  await pass(16_000);
  expect([[...census.live().keys()], scene.changes]).toEqual([["other", "self"], 2]);
  await census.stop();
});
