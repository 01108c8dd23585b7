import { expect } from "expect";
import { Buffer } from "node:buffer";
import { createAuthority } from "../../../tests/certificates.ts";
import { type RunningXds, serveXds, type TlsMaterial } from "./mod.ts";
import { ADS_SOTW, mutualTls, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";
import { FRAME, frame, message, PREFACE, RawConnection, requestHeaders } from "./testing/raw.ts";
import { until } from "./testing/wait.ts";

const bind = { host: "127.0.0.1", port: 0 };

async function closingTime(server: RunningXds, deadlineMs: number): Promise<number> {
  const start = performance.now();
  await server.close({ deadlineMs, reason: "Moved away" });
  return performance.now() - start;
}

async function tlsParties() {
  const ca = await createAuthority();
  const server = await ca.issue({ commonName: "server", dns: ["localhost"] });
  const client = await ca.issue({ commonName: "envoy" });
  const tls: TlsMaterial = { certificate: server.cert, privateKey: server.key, clientCa: ca.cert };
  return { ca, tls, client };
}

Deno.test("close() says goodbye and is done in milliseconds with idle, silent and half-greeted connections", async () => {
  const { tls } = await tlsParties();
  for (const options of [{ bind, tls }, { bind }]) {
    const server = await serveXds({ ...options, handler: new EchoHandler() });
    await using silent = new RawConnection(server.port);
    await using greeting = new RawConnection(server.port);
    greeting.send(PREFACE.subarray(0, 10));
    await using other = new RawConnection(server.port);
    other.send(Buffer.from([22, 3, 1, 0, 200, 1]));
    expect(await closingTime(server, 10_000)).toBeLessThan(1_000);
    await Promise.all([silent.end(), greeting.end(), other.end()]);
  }
});

Deno.test("close() ends a stream with trailers and its connection with GOAWAY", async () => {
  const server = await serveXds({ bind, handler: new EchoHandler() });
  await using raw = new RawConnection(server.port);
  raw.send(PREFACE, frame(FRAME.settings), frame(FRAME.settings, { flags: 1 }));
  raw.send(requestHeaders(1, ADS_SOTW), message(1, Buffer.from("x")));
  await raw.receivedFrames(FRAME.data);
  expect(await closingTime(server, 10_000)).toBeLessThan(1_000);
  await raw.end();
  const kinds = raw.frames.map((f) => f.type);
  expect(kinds.filter((k) => k === FRAME.headers)).toHaveLength(2); // headers, trailers
  expect(kinds).toContain(FRAME.goaway);
});

Deno.test("close() cuts a peer that does not read when the deadline has passed", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind, handler });
  await using raw = new RawConnection(server.port);
  raw.send(PREFACE, frame(FRAME.settings, { payload: Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]) }));
  raw.send(requestHeaders(1, ADS_SOTW));
  raw.pause();
  await until("the stream opened", () => handler.live.length === 1);
  const written = handler.live[0]?.call.write(new Uint8Array(64 << 20), new Uint8Array(1));
  const ms = await closingTime(server, 300);
  expect(ms).toBeGreaterThanOrEqual(290);
  expect(ms).toBeLessThan(2_000);
  await written;
  expect(handler.streams[0]?.closed).toBe(1);
});

Deno.test("close() is done with streams over TLS, too, and a stream there outlives the wait for a first stream", async () => {
  const { ca, tls, client: own } = await tlsParties();
  const handler = new EchoHandler();
  const server = await serveXds({ bind, tls, handler, limits: { firstStreamMs: 300 } });
  using client = new TestClient(`localhost:${server.port}`, { credentials: mutualTls(ca.cert, own) });
  const stream = client.open(ADS_SOTW);
  stream.send("x");
  await stream.texts(1);
  await using silent = new RawConnection(server.port);
  await silent.end(); // it came later, so the time of the stream's connection is over, too
  stream.send("y");
  await stream.texts(2);
  expect(await closingTime(server, 10_000)).toBeLessThan(1_000);
  expect(await stream.status).toMatchObject({ code: 14, details: "Moved away" });
});

Deno.test("close() may be called twice", async () => {
  const server = await serveXds({ bind, handler: new EchoHandler() });
  await Promise.all([server.close(), server.close()]);
  await server.close();
});
