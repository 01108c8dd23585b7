import { expect } from "expect";
import { Buffer } from "node:buffer";
import { DEFAULT_LIMITS, type RunningXds, serveXds, type XdsLimits } from "./mod.ts";
import { ADS_SOTW, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";
import { FRAME, frame, message, PREFACE, RawConnection, requestHeaders } from "./testing/raw.ts";
import { until } from "./testing/wait.ts";

/** Runs an attack beside a stream that must not notice. */
async function besideOthers(
  attack: (server: RunningXds, handler: EchoHandler) => Promise<void>,
  limits: Partial<XdsLimits> = {},
): Promise<void> {
  const handler = new EchoHandler();
  const server = await serveXds({ bind: { host: "127.0.0.1", port: 0 }, handler, limits });
  try {
    using client = new TestClient(server.address);
    const bystander = client.open(ADS_SOTW);
    bystander.send("before");
    await bystander.texts(1);
    await attack(server, handler);
    bystander.send("after");
    expect(await bystander.texts(2)).toEqual(["echo:before", "echo:after"]);
    await until("only the bystander is left", () => handler.live.length === 1);
    expect(server.openCalls).toBe(1);
    const later = client.open(ADS_SOTW);
    later.send("later");
    expect(await later.texts(1)).toEqual(["echo:later"]);
    later.halfClose();
    bystander.halfClose();
    await Promise.all([later.status, bystander.status]);
  } finally {
    await server.close();
  }
  for (const { closed } of handler.streams) expect(closed).toBe(1);
}

/** Says hello as an HTTP/2 client. */
function greeted(server: RunningXds): RawConnection {
  const raw = new RawConnection(server.port);
  raw.send(PREFACE, frame(FRAME.settings), frame(FRAME.settings, { flags: 1 }));
  return raw;
}

const GARBAGE: Record<string, Uint8Array> = {
  "bytes that are no HTTP/2": Buffer.from("\x16\x03\x01 what is this\0\xff".repeat(200), "latin1"),
  "an HTTP/1 request": Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
  "a preface and then garbage": Buffer.concat([PREFACE, Buffer.alloc(4_000, 0xfe)]),
  "a frame longer than allowed": Buffer.concat([PREFACE, Buffer.from([0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1])]),
  "DATA on a stream that was never opened": Buffer.concat([PREFACE, frame(4), message(1, Buffer.from("x"))]),
  "broken header compression": Buffer.concat([
    PREFACE,
    frame(4),
    frame(FRAME.headers, { flags: 4, stream: 1, payload: Buffer.alloc(40, 0xff) }),
  ]),
};

for (const [what, bytes] of Object.entries(GARBAGE)) {
  Deno.test(`A connection with ${what} is closed, others go on`, async () => {
    await besideOthers(async (server) => {
      await using raw = new RawConnection(server.port);
      raw.send(bytes);
      await raw.end();
    });
  });
}

Deno.test("A connection cut in the middle of a frame harms nobody", async () => {
  await besideOthers(async (server, handler) => {
    {
      await using raw = greeted(server);
      const cut = message(1, Buffer.alloc(1000)).subarray(0, 300);
      raw.send(requestHeaders(1, ADS_SOTW), cut);
      await until("the stream opened", () => handler.streams.length === 2);
    }
    await until("its stream closed", () => handler.live.length === 1);
  });
});

Deno.test("A message that claims a giant length ends its stream with RESOURCE_EXHAUSTED", async () => {
  await besideOthers(async (server) => {
    await using raw = greeted(server);
    raw.send(requestHeaders(1, ADS_SOTW), message(1, Buffer.from("x"), 0xffffffff));
    const [end] = await raw.receivedFrames(FRAME.headers);
    expect(end).toMatchObject({ stream: 1, flags: 5 }); // trailers only: END_STREAM and END_HEADERS
    raw.send(requestHeaders(3, ADS_SOTW), message(3, Buffer.from("x")));
    await raw.receivedFrames(FRAME.data);
  });
});

Deno.test("A request longer than the limit ends its stream, one below does not", async () => {
  await besideOthers(async (server) => {
    using client = new TestClient(server.address);
    const good = client.open(ADS_SOTW);
    good.send(new Uint8Array(64 << 10).fill(97));
    expect((await good.received(1))[0]?.length).toBe((64 << 10) + 5);
    good.halfClose();
    await good.status;
    const bad = client.open(ADS_SOTW);
    bad.send(new Uint8Array((64 << 10) + 1));
    expect((await bad.status).code).toBe(8);
  }, { requestBytes: 64 << 10 });
});

Deno.test("Compressed bombs end their stream", async () => {
  const stream = new Blob([new Uint8Array(20 << 20)]).stream().pipeThrough(new CompressionStream("gzip"));
  const bomb = new Uint8Array(await new Response(stream).arrayBuffer());
  await besideOthers(async (server, handler) => {
    await using raw = greeted(server);
    const data = message(1, bomb);
    data[9] = 1; // compressed
    raw.send(requestHeaders(1, ADS_SOTW, { "grpc-encoding": "gzip" }));
    for (let at = 0; at < data.length - 9; at += 16_000) {
      raw.send(frame(FRAME.data, { stream: 1, payload: data.subarray(9 + at, 9 + at + 16_000) }));
    }
    await raw.receivedFrames(FRAME.headers);
    expect(handler.streams[1]?.requests).toEqual([]);
  });
});

Deno.test("Header blocks of any size and shape end at most their connection", async () => {
  await besideOthers(async (server) => {
    for (const value of ["99999999H", "x".repeat(200), "-1S"]) {
      await using raw = greeted(server);
      raw.send(requestHeaders(1, ADS_SOTW, { "grpc-timeout": value, "x-bin": "\u00ff", "grpc-encoding": "rot13" }));
      raw.send(message(1, Buffer.from("x")));
      await raw.waitFor(() => raw.closed || raw.frames.some((f) => f.type === 1 || f.type === 3));
    }
    await using raw = greeted(server);
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`x-${i}`, "v".repeat(60)]));
    raw.send(requestHeaders(1, ADS_SOTW, many));
    const huge = requestHeaders(3, ADS_SOTW, { "x-huge": "v".repeat(15_000) });
    huge[4] = 0; // no END_HEADERS: more is to come
    raw.send(huge);
    for (let i = 0; i < 100; i++) raw.send(frame(9, { stream: 3, payload: Buffer.alloc(16_000, 0x61) }));
    await raw.end();
  });
});

Deno.test("A connection that opens more streams than it was told it may is closed", async () => {
  await besideOthers(async (server) => {
    await using raw = greeted(server);
    for (let i = 0; i < 8; i++) raw.send(requestHeaders(1 + 2 * i, ADS_SOTW), message(1 + 2 * i, Buffer.from("x")));
    await raw.end();
  }, { streamsPerConnection: 4 });
});

Deno.test("A client that keeps to the number of streams it was told waits for its turn", async () => {
  await besideOthers(async (server, handler) => {
    using client = new TestClient(server.address);
    const warm = client.open(ADS_SOTW);
    warm.send("x");
    await warm.texts(1);
    const streams = [warm, client.open(ADS_SOTW), client.open(ADS_SOTW)];
    for (const stream of streams) stream.send("y");
    await streams[1]?.texts(1);
    expect(handler.live.length).toBe(3);
    warm.halfClose();
    await streams[2]?.texts(1);
    for (const stream of streams) stream.halfClose();
    await Promise.all(streams.map((s) => s.status));
  }, { streamsPerConnection: 2 });
});

for (const path of [ADS_SOTW, "/unknown.Service/Method", "no slash"]) {
  for (const contentType of ["application/grpc", "text/html"]) {
    Deno.test(`A flood of streams reset at once (${path}, ${contentType}) harms nobody`, async () => {
      await besideOthers(async (server) => {
        await using raw = greeted(server);
        const cancel = Buffer.of(0, 0, 0, 8);
        for (let id = 1; id < 6_000 && !raw.closed; id += 2) {
          raw.send(
            requestHeaders(id, path, { "content-type": contentType }),
            message(id, Buffer.from("x")),
            frame(FRAME.rstStream, { stream: id, payload: cancel }),
          );
        }
        raw.send(frame(FRAME.ping, { payload: Buffer.alloc(8) }));
        await raw.waitFor(() => raw.closed || raw.frames.some((f) => f.type === FRAME.ping || f.type === FRAME.goaway));
      });
    });
  }
}

Deno.test("W9, A6: a client may ping as often as it likes", async () => {
  await besideOthers(async (server) => {
    await using raw = greeted(server);
    raw.send(requestHeaders(1, ADS_SOTW));
    for (let i = 1; i <= 50; i++) {
      raw.send(frame(FRAME.ping, { payload: Buffer.alloc(8, i) }));
      const answers = (await raw.receivedFrames(FRAME.ping, i)).map((f) => f.payload[0]);
      expect(answers.at(-1)).toBe(i);
    }
    expect(raw.frames.filter((f) => f.type === FRAME.goaway)).toEqual([]);
    raw.send(message(1, Buffer.from("still here")));
    await raw.receivedFrames(FRAME.data);
    expect(raw.text).toContain("echo:still here");
  });
});

Deno.test("Floods of control frames harm nobody", async () => {
  await besideOthers(async (server) => {
    for (const flood of [frame(FRAME.ping, { payload: Buffer.alloc(8) }), frame(FRAME.settings), frame(FRAME.data)]) {
      await using raw = greeted(server);
      raw.pause();
      for (let i = 0; i < 20 && !raw.closed; i++) raw.send(...Array.from({ length: 1_000 }, () => flood));
    }
  });
});

Deno.test("Whoever connects and says nothing is cut", async () => {
  await besideOthers(async (server) => {
    await using silent = new RawConnection(server.port);
    await using idle = greeted(server);
    await silent.end();
    await idle.end();
  }, { firstStreamMs: 100 });
});

Deno.test("Connections beyond the limit are closed at once", async () => {
  await besideOthers(async (server) => {
    await using second = greeted(server);
    await second.receivedFrames(FRAME.settings);
    await using third = new RawConnection(server.port);
    await third.end();
    expect(second.closed).toBe(false);
  }, { connections: 2 });
});

Deno.test("A peer that answers no keepalive ping is given up", async () => {
  await besideOthers(async (server, handler) => {
    await using raw = greeted(server);
    raw.send(requestHeaders(1, ADS_SOTW));
    await until("the stream opened", () => handler.streams.length === 2);
    await raw.end(); // it answers no PING
    expect(raw.frames.some((f) => f.type === FRAME.ping)).toBe(true);
  }, { keepaliveMs: 100, keepaliveTimeoutMs: 200 });
});

Deno.test("A peer that never reads keeps the credit of others only for a moment, and its own memory bounded", async () => {
  const handler = new EchoHandler();
  const sending = { ...DEFAULT_LIMITS.sending, total: 512 << 10, stallMs: 50 };
  const server = await serveXds({ bind: { host: "127.0.0.1", port: 0 }, handler, limits: { sending } });
  {
    const body = new Uint8Array(8 << 20).fill(1);
    await using raw = new RawConnection(server.port);
    const window = Buffer.alloc(4);
    window.writeUInt32BE(0x7fffffff - 65_535);
    const settings = Buffer.from([0, 4, 0x7f, 0xff, 0xff, 0xff]);
    raw.send(PREFACE, frame(FRAME.settings, { payload: settings }), frame(FRAME.windowUpdate, { payload: window }));
    for (let id = 1; id < 40; id += 2) raw.send(requestHeaders(id, ADS_SOTW));
    raw.pause();
    await until("its streams opened", () => handler.live.length === 20);
    let left = 0;
    for (const { call } of handler.live) call.write(body, new Uint8Array(8)).then(() => left++);
    using client = new TestClient(server.address);
    const reader = client.open(ADS_SOTW);
    reader.send("x");
    await reader.texts(1);
    const start = performance.now();
    await handler.live.at(-1)?.call.write(body, new Uint8Array(8));
    await reader.received(2);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(left).toBe(0);
    reader.halfClose();
    await reader.status;
  }
  await until("all streams closed", () => handler.live.length === 0);
  await server.close();
});

Deno.test("A client that never ends its side of a finished stream has it reset", async () => {
  await besideOthers(async (server) => {
    await using raw = greeted(server);
    raw.send(requestHeaders(1, ADS_SOTW), message(1, Buffer.from("end")));
    const [reset] = await raw.receivedFrames(FRAME.rstStream);
    expect(reset).toMatchObject({ stream: 1, payload: Buffer.of(0, 0, 0, 0) }); // NO_ERROR
    expect(raw.closed).toBe(false);
  });
});
