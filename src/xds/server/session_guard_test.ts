import { Server, ServerCredentials } from "@grpc/grpc-js";
import { expect } from "expect";
import { Buffer } from "node:buffer";
import { EventEmitter } from "node:events";
import type { ConnectionOptions } from "node:tls";
import { createAuthority } from "../../../tests/certificates.ts";
import { serveXds } from "./mod.ts";
import { guardSessions } from "./session_guard.ts";
import { ADS_SOTW, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";
import { ServerProcess } from "./testing/server_process.ts";
import { FRAME, frame, message, PREFACE, RawConnection, requestHeaders } from "./testing/raw.ts";

/** Enough for nghttp2's table of streams to have grown: then what is left of it after the session is soon something else. */
const STREAMS = 200;

/** How a client may say goodbye. */
const GOODBYES: Record<string, Uint8Array> = {
  "GOAWAY": frame(FRAME.goaway, { payload: Buffer.alloc(8) }),
  "GOAWAY with an error": frame(FRAME.goaway, { payload: Buffer.from([0, 0, 0, 0, 0, 0, 0, 2]) }),
  "two GOAWAYs and a ping": Buffer.concat([
    frame(FRAME.goaway, { payload: Buffer.alloc(8) }),
    frame(FRAME.goaway, { payload: Buffer.alloc(8) }),
    frame(FRAME.ping, { payload: Buffer.alloc(8) }),
  ]),
  "garbage": Buffer.alloc(4_000, 0xfe),
};

/** Opens many streams on one connection and ends them, then says goodbye. */
async function useAndLeave(port: number, goodbye: Uint8Array, tls?: ConnectionOptions): Promise<void> {
  await using raw = new RawConnection(port, tls);
  raw.send(PREFACE, frame(FRAME.settings), frame(FRAME.settings, { flags: 1 }));
  for (let i = 0; i < STREAMS; i++) {
    raw.send(requestHeaders(2 * i + 1, ADS_SOTW), message(2 * i + 1, Buffer.from("x")));
  }
  await raw.receivedFrames(FRAME.data, STREAMS);
  for (let i = 0; i < STREAMS; i++) raw.send(frame(FRAME.data, { flags: 1, stream: 2 * i + 1 }));
  await raw.receivedFrames(FRAME.headers, 2 * STREAMS);
  raw.send(goodbye);
  await raw.end();
}

for (const overTls of [false, true]) {
  for (const [what, goodbye] of Object.entries(GOODBYES)) {
    Deno.test(`A client that leaves with ${what}${overTls ? " over TLS" : ""} does not take the process along`, async () => {
      const ca = await createAuthority();
      const own = await ca.issue({ commonName: "server", dns: ["localhost"] });
      const client = await ca.issue({ commonName: "client" });
      // In a process of its own: what freed memory turns into differs when clients share it.
      const server = await ServerProcess.start(
        overTls ? { certificate: own.cert, privateKey: own.key, clientCa: ca.cert } : undefined,
      );
      for (let i = 0; i < 3; i++) {
        await useAndLeave(server.port, goodbye, overTls ? { ca: ca.cert, ...client } : undefined);
      }
      expect(await server.stop()).toEqual({ code: 0, signal: null });
    });
  }
}

Deno.test("A client that leaves with GOAWAY while streams live is served until they end", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: { host: "127.0.0.1", port: 0 }, handler });
  await using raw = new RawConnection(server.port);
  raw.send(PREFACE, frame(FRAME.settings), frame(FRAME.settings, { flags: 1 }), requestHeaders(1, ADS_SOTW));
  raw.send(frame(FRAME.goaway, { payload: Buffer.alloc(8) }));
  raw.send(message(1, Buffer.from("still here")));
  await raw.receivedFrames(FRAME.data);
  raw.send(frame(FRAME.data, { flags: 1, stream: 1 }));
  await raw.end();
  await server.close();
});

Deno.test("A stream that is gone before it is opened, or that cannot be opened, ends alone", () => {
  const http2Server = new EventEmitter();
  const opened: string[] = [];
  http2Server.on("stream", (stream: { name: string }) => {
    opened.push(stream.name);
    if (stream.name === "bad") throw new Error("The stream has been destroyed");
  });
  expect(guardSessions(Object.assign(new Server(), { http2Servers: new Map([[http2Server, {}]]) }))).toBe(true);
  const closed: number[] = [];
  for (const name of ["good", "gone", "bad", "good"]) {
    http2Server.emit("stream", { name, destroyed: name === "gone", close: (code: number) => closed.push(code) }, {});
  }
  expect(opened).toEqual(["good", "bad", "good"]);
  expect(closed).toEqual([2]);
});

Deno.test("The HTTP/2 servers are found in this version of grpc-js", async () => {
  const server = new Server();
  expect(guardSessions(server)).toBe(false);
  server.createConnectionInjector(ServerCredentials.createInsecure());
  expect(guardSessions(server)).toBe(true);
  await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
});

Deno.test("I15: many clients come and go, and nothing is left of them", async () => {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: { host: "127.0.0.1", port: 0 }, handler });
  for (let round = 0; round < 3; round++) {
    using client = new TestClient(server.address);
    const streams = Array.from({ length: 100 }, () => client.open(ADS_SOTW));
    for (const stream of streams) stream.send("x");
    await Promise.all(streams.map((s) => s.texts(1)));
    for (const [i, stream] of streams.entries()) {
      if (i % 2 === 0) stream.halfClose();
      else stream.cancel();
    }
    await Promise.all(streams.map((s) => s.status));
  }
  await server.close();
  expect(handler.streams.map((s) => s.closed)).toEqual(handler.streams.map(() => 1));
  expect(server.openCalls).toBe(0);
});
