import { ServerCredentials } from "@grpc/grpc-js";
import { expect } from "expect";
import { connect } from "node:http2";
import { ByteBudget } from "./byte_budget.ts";
import { createGrpcServer } from "./grpc_server.ts";
import { DEFAULT_LIMITS } from "./limits.ts";
import { OpenCalls } from "./open_calls.ts";
import { serveXds } from "./serve.ts";
import { ADS_SOTW, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";
import { until } from "./testing/wait.ts";
import { xdsRoutes } from "./xds_routes.ts";

const BIND = { host: "127.0.0.1", port: 0 };

/** A bare grpc-js server, to tell how its calls were written. */
async function bareServer(pieces: boolean) {
  const handler = new EchoHandler();
  const pieced: boolean[] = [];
  const budget = new ByteBudget(DEFAULT_LIMITS.sending.total);
  const server = createGrpcServer({}, {
    routes: new Map(xdsRoutes(handler).map((route) => [route.path, route])),
    calls: new OpenCalls(),
    sending: { budget, limits: DEFAULT_LIMITS.sending, pieces },
    onBug: () => {},
    onCall: (_, yes) => pieced.push(yes),
  });
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync("127.0.0.1:0", ServerCredentials.createInsecure(), (e, bound) => e ? reject(e) : resolve(bound))
  );
  return { handler, pieced, budget, server, address: `127.0.0.1:${port}` };
}

Deno.test("The way to the HTTP/2 stream is found in this version of grpc-js", async () => {
  const { pieced, server, address } = await bareServer(true);
  {
    using client = new TestClient(address);
    const stream = client.open(ADS_SOTW);
    stream.send("x");
    await stream.texts(1);
    stream.halfClose();
    await stream.status;
  }
  expect(pieced).toEqual([true]);
  server.forceShutdown();
});

for (const pieces of [true, false]) {
  Deno.test(`Messages of any size arrive whole and in order, ${pieces ? "in pieces" : "by grpc-js itself"}`, async () => {
    const { handler, pieced, budget, server, address } = await bareServer(pieces);
    {
      using client = new TestClient(address);
      const stream = client.open(ADS_SOTW);
      stream.send("x");
      await stream.texts(1);
      const call = handler.streams[0]?.call;
      const sizes = [0, 1, 16_378, 16_379, 16_380, 100_000, 262_144, 1_000_000, 3];
      for (const [i, size] of sizes.entries()) call?.write(new Uint8Array(size).fill(i), Uint8Array.of(i, i + 1));
      const messages = (await stream.received(1 + sizes.length)).slice(1);
      for (const [i, size] of sizes.entries()) {
        expect(messages[i]?.length).toBe(size + 2);
        expect(messages[i]?.subarray(0, size).every((b) => b === i)).toBe(true);
        expect([...messages[i]?.subarray(size) ?? []]).toEqual([i, i + 1]);
      }
      stream.halfClose();
      await stream.status;
    }
    expect(pieced).toEqual([pieces]);
    expect(budget.used).toBe(0);
    server.forceShutdown();
  });
}

Deno.test("The piecewise path is taken: a small budget is handed out while a large message leaves", async () => {
  const { handler, budget, server, address } = await bareServer(true);
  {
    using client = new TestClient(address);
    const stream = client.open(ADS_SOTW);
    stream.send("x");
    await stream.texts(1);
    const written = handler.streams[0]?.call.write(new Uint8Array(2 << 20), new Uint8Array(1));
    await until("credit was taken", () => budget.used > 0);
    expect(budget.used).toBeLessThanOrEqual(DEFAULT_LIMITS.sending.segment);
    await written;
    expect(budget.used).toBe(0);
    stream.halfClose();
    await stream.status;
  }
  server.forceShutdown();
});

Deno.test("write() to a stream that ends half-way resolves and gives its credit back", async () => {
  const { handler, budget, server, address } = await bareServer(true);
  {
    using client = new TestClient(address);
    const stream = client.open(ADS_SOTW);
    stream.send("x");
    await stream.texts(1);
    stream.pause();
    const written = handler.streams[0]?.call.write(new Uint8Array(32 << 20), new Uint8Array(1));
    await until("credit was taken", () => budget.used > 0);
    stream.cancel();
    await written;
    await handler.streams[0]?.call.write(new Uint8Array(10), new Uint8Array(1));
    await until("the stream closed", () => handler.live.length === 0);
    expect(budget.used).toBe(0);
    await stream.status;
  }
  server.forceShutdown();
});

Deno.test("end() lets a message that is on its way arrive first", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: BIND, handler });
  {
    using client = new TestClient(server.address);
    const stream = client.open(ADS_SOTW);
    stream.send("x");
    await stream.texts(1);
    const call = handler.streams[0]?.call;
    call?.write(new Uint8Array(1 << 20), new Uint8Array(1));
    call?.end({ code: 14, details: "later" });
    call?.end({ code: 3, details: "twice" });
    expect(await stream.status).toMatchObject({ code: 14, details: "later" });
    expect(stream.messages.map((m) => m.length)).toEqual([6, (1 << 20) + 1]);
  }
  await server.close();
});

Deno.test("end() does not wait for ever for a client that does not read", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: BIND, handler });
  const session = connect(`http://${server.address}`);
  const request = session.request({ ":method": "POST", ":path": ADS_SOTW, "content-type": "application/grpc" });
  const ended = new Promise<void>((resolve) => request.on("close", resolve));
  request.on("error", () => {});
  await until("the stream opened", () => handler.live.length === 1);
  const call = handler.streams[0]?.call;
  call?.write(new Uint8Array(64 << 20), new Uint8Array(1));
  call?.end({ code: 14, details: "bye" });
  await until("the stream closed", () => handler.live.length === 0);
  session.destroy();
  await ended;
  await server.close();
});
