import { expect } from "expect";
import { ManualClock } from "../../base/mod.ts";
import { CountedClients } from "./counted_clients.ts";

type Config = Parameters<CountedClients["of"]>[0];

function counts(connected: number, accepted = connected): NonNullable<Config["status"]["clients"]> {
  return { connected, accepted, rejected: 0, refusedData: 0, pending: connected - accepted };
}

function config(publication: string | undefined, clients?: Config["status"]["clients"]): Config {
  return {
    uid: "u",
    nodeId: "edge",
    status: { ...(publication !== undefined && { publication }), ...(clients && { clients }) },
    revision: () => Promise.resolve(undefined),
  };
}

Deno.test("CountedClients takes counts for those of a publication once as many are heard of as before, or nobody else comes", async () => {
  const clock = new ManualClock(0);
  const clients = new CountedClients(clock);
  expect(await clients.of(config("v1", counts(2)))).toMatchObject({ publication: "v1", connected: 2 });
  expect((await clients.of(config("v2")))?.publication).toBe(undefined); // nobody has spoken yet
  expect((await clients.of(config("v2", counts(1))))?.publication).toBe(undefined); // another replica has not
  expect(await clients.of(config("v2", counts(2)))).toMatchObject({ publication: "v2", accepted: 2 });
  expect((await clients.of(config("v3", counts(1))))?.publication).toBe(undefined);
  clock.advance(5_000);
  expect(await clients.of(config("v3", counts(1)))).toMatchObject({ publication: "v3", connected: 1 }); // one has left
  expect((await clients.of(config("v4")))?.publication).toBe(undefined);
  clock.advance(5_000);
  expect(await clients.of(config("v4"))).toMatchObject({ publication: "v4", connected: 0 });
  expect(await clients.of(config(undefined))).toBe(undefined);
});

Deno.test("CountedClients tells the words of all replicas, the first of them first", async () => {
  const clients = new CountedClients(new ManualClock(0));
  const report = (client: string, at: string, publication = "v1-r2") => ({
    bootId: "b",
    publication,
    ...{ connected: 1, sent: 1, accepted: 0, rejected: 1, refusedData: 0, pending: 0 },
    rejections: [{
      stream: "1",
      client,
      type: "type.googleapis.com/envoy.config.listener.v3.Listener",
      version: "v",
      message: "no",
      at,
    }],
  });
  const refused = { ...counts(2, 0), rejected: 2, pending: 0 };
  const told = await clients.of({
    ...config("v1-r2", refused),
    revision: (version) => {
      expect(version).toBe("v1");
      const late = report("b", "2026-01-31T12:00:01Z"), early = report("a", "2026-01-31T12:00:00Z");
      return Promise.resolve({ clients: { one: late, two: early, old: report("c", "2026-01-30T12:00:00Z", "v1") } });
    },
  });
  expect(told?.rejections.map(({ client, type }) => [client, type])).toEqual([["a", "LDS"], ["b", "LDS"]]);
});
