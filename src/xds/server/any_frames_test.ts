import { expect } from "expect";
import fc from "fast-check";
import { Buffer } from "node:buffer";
import { ADS_SOTW, TestClient } from "./testing/client.ts";
import { FRAME, frame, message, PREFACE, RawConnection, requestHeaders } from "./testing/raw.ts";
import { ServerProcess } from "./testing/server_process.ts";

const RUNS = Number(Deno.env.get("FUZZ_RUNS") ?? 150);

const path = fc.constantFrom(
  ADS_SOTW,
  "/grpc.health.v1.Health/Watch",
  "/grpc.health.v1.Health/Check",
  "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  "/no.Such/Method",
  "",
);
const body = fc.oneof(fc.constantFrom("x", "end", "bad protobuf", "forbidden", "large").map(Buffer.from), bytes(40));

/** What a client sends, given the next stream id and that of a stream it opened before. */
type Step = (ids: { next: () => number; some: number }) => Uint8Array;

/** Mostly what HTTP/2 allows, so that a connection lives for a while. */
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: path.map((p): Step => ({ next }) => requestHeaders(next(), p)) },
  { weight: 12, arbitrary: body.map((b): Step => ({ some }) => message(some, b)) },
  { weight: 4, arbitrary: fc.constant<Step>(({ some }) => frame(FRAME.data, { flags: 1, stream: some })) },
  { weight: 4, arbitrary: fc.nat(13).map((code): Step => ({ some }) => reset(some, code)) },
  { weight: 2, arbitrary: fc.constant<Step>(() => frame(FRAME.ping, { payload: Buffer.alloc(8) })) },
  { weight: 2, arbitrary: fc.nat(70_000).map((n): Step => () => frame(FRAME.settings, { payload: window(n) })) },
  { weight: 2, arbitrary: fc.nat(70_000).map((n): Step => ({ some }) => windowUpdate(some, n)) },
  { weight: 1, arbitrary: fc.nat(2).map((code): Step => () => frame(FRAME.goaway, { payload: lastWords(code) })) },
  { weight: 1, arbitrary: body.map((b): Step => ({ some }) => message(some, b, 0x7fffffff)) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.nat(12), fc.nat(255), fc.nat(40), bytes(30)).map(([type, flags, id, payload]): Step => () =>
      frame(type, { flags, stream: id, payload })
    ),
  },
);

/** The bytes of a client's steps. */
function wire(steps: readonly (readonly [Step, number])[]): Buffer {
  const opened: number[] = [1];
  const next = () => opened[opened.push((opened.at(-1) ?? 0) + 2) - 1] ?? 0;
  const parts = steps.map(([take, pick]) => take({ next, some: opened[pick % opened.length] ?? 1 }));
  return Buffer.concat([requestHeaders(1, ADS_SOTW), ...parts]);
}

Deno.test("Whatever frames come, in whatever order and cuts, the process and other streams go on", async () => {
  const server = await ServerProcess.start();
  {
    using client = new TestClient(`127.0.0.1:${server.port}`);
    const bystander = client.open(ADS_SOTW);
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(step, fc.nat(100)), { minLength: 5, maxLength: 80, size: "max" }),
        fc.infiniteStream(fc.nat(200)),
        async (steps, cuts) => {
          await using raw = new RawConnection(server.port);
          raw.send(PREFACE, frame(FRAME.settings), frame(FRAME.settings, { flags: 1 }));
          const all = wire(steps);
          for (let at = 0; at < all.length;) {
            const end = at + 1 + 20 * (cuts.next().value ?? 0);
            raw.send(all.subarray(at, end));
            at = end;
            await raw.waitFor(() => raw.closed || raw.frames.length > 0);
          }
          raw.finish();
          await raw.end();
          bystander.send("x");
          await bystander.received(++asked);
        },
      ),
      { numRuns: RUNS },
    );
    bystander.halfClose();
    await bystander.status;
  }
  expect(await server.stop()).toEqual({ code: 0, signal: null });
});

function bytes(maxLength: number): fc.Arbitrary<Buffer> {
  return fc.uint8Array({ maxLength }).map((b) => Buffer.from(b));
}

function reset(stream: number, code: number): Buffer {
  return frame(FRAME.rstStream, { stream, payload: uint32(code) });
}

function windowUpdate(stream: number, more: number): Buffer {
  return frame(FRAME.windowUpdate, { stream, payload: uint32(more + 1) });
}

/** SETTINGS_INITIAL_WINDOW_SIZE */
function window(size: number): Buffer {
  return Buffer.concat([Buffer.of(0, 4), uint32(size)]);
}

function lastWords(code: number): Buffer {
  return Buffer.concat([uint32(0), uint32(code)]);
}

function uint32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}
