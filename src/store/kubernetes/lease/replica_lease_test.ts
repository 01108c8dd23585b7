import { expect } from "expect";
import { ChanceryError, ManualClock } from "../../../base/mod.ts";
import { createLogger } from "../../../telemetry/mod.ts";
import { type Lease, leaseBody, type LeaseContent, parseLease } from "./lease.ts";
import { ReplicaLease } from "./replica_lease.ts";

/** An API server with one Lease, which may be down. */
function setUp() {
  const clock = new ManualClock();
  const server = { lease: undefined as Lease | undefined, down: false, writes: 0 };
  const write = (content: LeaseContent, before?: Lease): Promise<Lease> => {
    if (server.down) return Promise.reject(new ChanceryError("unavailable", "no answer"));
    const body = leaseBody(content, { name: "lease", namespace: "ns", ...(before && { before }) });
    const metadata = { ...body["metadata"] as object, uid: "u", resourceVersion: String(++server.writes) };
    return Promise.resolve(server.lease = parseLease({ ...body, metadata })!);
  };
  const own = new ReplicaLease({
    client: {
      get: () => Promise.resolve(server.lease),
      create: (_, content) => write(content),
      replace: (before, content) => write(content, before),
      remove: () => Promise.resolve(),
    },
    ...{ name: "lease", labels: {}, self: { name: "xds-0", bootId: "b" }, durationMs: 15_000, clock },
    log: createLogger({ now: () => 0, write() {} }),
  });
  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  }
  return { server, own, pass };
}

Deno.test("ReplicaLease tells at once what others are to know, and again with every renewal", async () => {
  const { server, own, pass } = setUp();
  await own.start();
  expect(server.lease?.annotations).toEqual({});
  await own.tell({ trust: "a" });
  expect(server).toMatchObject({ writes: 2, lease: { annotations: { trust: "a" } } });
  await pass(5_000);
  expect(server).toMatchObject({ writes: 3, lease: { annotations: { trust: "a" } } });
  await Promise.all([own.start(), own.tell({ trust: "b" })]); // one is on its way already
  expect(server.lease?.annotations).toEqual({ trust: "b" });
  await own.stop();
  await own.tell({ trust: "c" });
  expect(server.lease?.annotations).toEqual({ trust: "b" });
});

Deno.test("ReplicaLease tells it later when the API server does not answer, and leaves what others wrote", async () => {
  const { server, own, pass } = setUp();
  await own.start();
  server.lease = { ...server.lease!, annotations: { note: "by hand" } };
  server.down = true;
  await own.tell({ trust: "a" });
  server.down = false;
  await pass(5_000);
  expect(server.lease?.annotations["trust"]).toBe("a");
  await own.stop();
});
