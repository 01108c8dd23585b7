import { expect } from "expect";
import { ChanceryError } from "../../base/mod.ts";
import { RESOURCE_TYPES } from "../../envoy/mod.ts";
import { serveXds } from "./mod.ts";
import { ADS_DELTA, ADS_SOTW, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";
import { until } from "./testing/wait.ts";

const LOOPBACK = { host: "127.0.0.1", port: 0 };

Deno.test("serveXds() answers on both methods of the aggregated service", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: LOOPBACK, handler });
  {
    using client = new TestClient(server.address);
    const sotw = client.open(ADS_SOTW);
    const delta = client.open(ADS_DELTA);
    sotw.send("one");
    expect(await sotw.texts(1)).toEqual(["echo:one"]);
    delta.send("two");
    expect(await delta.texts(1)).toEqual(["echo:two"]);
    expect(handler.streams.map(({ call }) => [call.protocol, call.typeUrl])).toEqual([
      ["sotw", undefined],
      ["delta", undefined],
    ]);
    expect(handler.streams[0]?.call.peer.address).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(handler.streams[0]?.call.id).not.toBe(handler.streams[1]?.call.id);
    sotw.halfClose();
    delta.cancel();
    expect((await sotw.status).code).toBe(0);
    await until("both streams closed", () => handler.live.length === 0);
  }
  await server.close();
  expect(handler.streams.map((s) => s.closed)).toEqual([1, 1]);
});

Deno.test("serveXds() serves every type's own service, and its unary method not at all", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: LOOPBACK, handler });
  {
    using client = new TestClient(server.address);
    for (const { service: { name, stream, delta }, typeUrl } of RESOURCE_TYPES) {
      for (const [protocol, method] of [["sotw", stream], ["delta", delta]]) {
        if (method === "") continue;
        const open = client.open(`/${name}/${method}`);
        open.send("x");
        expect(await open.texts(1)).toEqual(["echo:x"]);
        expect(handler.streams.at(-1)?.call).toMatchObject({ protocol, typeUrl });
        open.halfClose();
        await open.status;
      }
    }
    const fetch = client.open("/envoy.service.cluster.v3.ClusterDiscoveryService/FetchClusters");
    fetch.send("x");
    expect((await fetch.status).code).toBe(12);
  }
  await server.close();
});

Deno.test("A pending request keeps the next one from being read", async () => {
  const handler = new EchoHandler();
  const gate = Promise.withResolvers<void>();
  handler.gate = gate.promise;
  const server = await serveXds({ bind: LOOPBACK, handler });
  {
    using client = new TestClient(server.address);
    const stream = client.open(ADS_SOTW);
    for (let i = 0; i < 50; i++) stream.send(`request ${i}`);
    expect(await stream.texts(1)).toEqual(["echo:request 0"]);
    const other = client.open(ADS_SOTW);
    other.send("x");
    await other.texts(1);
    expect(handler.streams[0]?.requests).toEqual(["request 0"]);
    handler.gate = undefined;
    gate.resolve();
    expect((await stream.texts(50)).at(-1)).toBe("echo:request 49");
  }
  await server.close();
});

Deno.test("What a handler throws ends its stream with a status and no other stream", async () => {
  const handler = new EchoHandler();
  const logged: string[] = [];
  const log = { warn: () => {}, error: (m: string) => void logged.push(m) };
  const server = await serveXds({ bind: LOOPBACK, handler, log });
  {
    using client = new TestClient(server.address);
    const bystander = client.open(ADS_SOTW);
    bystander.send("1");
    await bystander.texts(1);
    expect(await statusFor(client, "bad protobuf")).toEqual({
      code: 3,
      details: "Cannot read the request: index out of range: 3 + 9 > 5",
    });
    expect(await statusFor(client, "forbidden")).toEqual({ code: 7, details: 'Node "a" is not yours\ufffd' });
    expect(logged).toEqual([]);
    expect(await statusFor(client, "bug")).toEqual({ code: 13, details: "Internal error" });
    expect(logged).toHaveLength(1);
    expect(await statusFor(client, "end")).toEqual({ code: 14, details: "asked to" });
    bystander.send("2");
    expect(await bystander.texts(2)).toEqual(["echo:1", "echo:2"]);
  }
  await server.close();
});

Deno.test("close() ends streams with UNAVAILABLE and its reason, in milliseconds", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: LOOPBACK, handler });
  {
    using client = new TestClient(server.address);
    const streams = Array.from({ length: 5 }, () => client.open(ADS_SOTW));
    for (const stream of streams) stream.send("x");
    await Promise.all(streams.map((s) => s.texts(1)));
    expect(server.openCalls).toBe(5);
    const start = performance.now();
    await server.close({ reason: "Moved away", deadlineMs: 5_000 });
    expect(performance.now() - start).toBeLessThan(1_000);
    for (const stream of streams) expect(await stream.status).toMatchObject({ code: 14, details: "Moved away" });
    expect(handler.live).toEqual([]);
  }
});

Deno.test("A second server on the same port is told so", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: LOOPBACK, handler });
  const second = await serveXds({ bind: { ...LOOPBACK, port: server.port }, handler }).catch((e) => e);
  expect(second).toBeInstanceOf(ChanceryError);
  expect(second).toMatchObject({
    code: "conflict",
    message: `Cannot listen on "127.0.0.1:${server.port}": another program listens there`,
  });
  await server.close();
});

async function statusFor(client: TestClient, request: string) {
  const stream = client.open(ADS_SOTW);
  stream.send(request);
  const { code, details } = await stream.status;
  return { code, details };
}
