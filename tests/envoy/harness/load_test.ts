import { expect } from "expect";
import { eventually } from "./eventually.ts";
import { type Load, startLoad } from "./load.ts";

/** What the server does with one request; `false` ends the connection. */
type Answer = (connection: Deno.Conn, nth: number) => Promise<boolean>;

/** A server that answers as told, so that each way to fail can be had. */
function serve(answer: Answer): { port: number; close(): Promise<void> } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const open = new Set<Deno.Conn>();
  let nth = 0;

  async function handle(connection: Deno.Conn) {
    open.add(connection);
    try {
      const buffer = new Uint8Array(4096);
      while (await connection.read(buffer) !== null) if (!await answer(connection, ++nth)) break;
    } catch {
      // The client went away.
    }
    open.delete(connection);
    connection.close();
  }

  const accepting = (async () => {
    const handlers: Promise<void>[] = [];
    for await (const connection of listener) handlers.push(handle(connection));
    await Promise.all(handlers);
  })();
  return {
    port: listener.addr.port,
    async close() {
      listener.close();
      await accepting;
    },
  };
}

async function say(connection: Deno.Conn, text: string): Promise<void> {
  await connection.write(new TextEncoder().encode(text));
}

const OK = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/** Lets a load run against the server until it has seen enough. */
async function run(answer: Answer, enough: (load: Load) => boolean, fresh = 0) {
  const server = serve(answer);
  try {
    await using load = startLoad({ target: { port: server.port }, keepAlive: 1, fresh });
    await eventually(() => enough(load), { what: "enough requests" });
    return await load.stop();
  } finally {
    await server.close();
  }
}

Deno.test("Load counts what is answered, over kept and fresh connections", async () => {
  const report = await run(async (connection) => (await say(connection, OK), true), (load) => load.requests > 30, 1);
  expect(report).toMatchObject({ failed: 0, failures: [], stale: 0, closed: 0 });
  expect(report.bodies).toEqual(new Map([["ok", report.requests]]));
});

Deno.test("Load reads chunked bodies that come in pieces", async () => {
  const report = await run(async (connection) => {
    await say(connection, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r");
    await say(connection, "\n3\r\nab");
    await say(connection, "c\r\n2\r\nde\r\n0\r\n\r\n");
    return true;
  }, (load) => load.requests > 5);
  expect([...report.bodies.keys()]).toEqual(["abcde"]);
  expect(report.failed).toBe(0);
});

Deno.test("Load takes a connection that is closed politely as no failure", async () => {
  const report = await run(async (connection) => {
    await say(connection, OK.replace("\r\n", "\r\nconnection: close\r\n"));
    return false;
  }, (load) => load.closed > 5);
  expect(report).toMatchObject({ failed: 0, stale: 0 });
});

Deno.test("Load asks again when a kept connection ends before an answer, and tells that apart", async () => {
  const report = await run(
    async (connection, nth) => nth % 3 !== 0 && (await say(connection, OK), true),
    (load) => load.stale > 5,
  );
  expect(report.failed).toBe(0);
});

Deno.test("Load counts a fresh connection that ends without an answer as a failure", async () => {
  const report = await run(() => Promise.resolve(false), (load) => load.failed > 12, 1);
  expect(report.failed).toBe(report.requests);
  expect(report.stale).toBe(0);
  expect(report.failures).toHaveLength(10);
  expect(report.failures[0]).toBe("fresh connection: the server closed the connection");
});

Deno.test("Load counts a response that is cut as a failure, on a kept connection too", async () => {
  const report = await run(async (connection, nth) => {
    await say(connection, nth === 1 ? OK : OK.slice(0, -1));
    return nth === 1;
  }, (load) => load.failed > 0);
  expect(report.stale).toBe(0);
  expect(report.failures[0]).toMatch(
    /^(kept|fresh) connection: cut within a response: the server closed the connection$/,
  );
});

Deno.test("Load counts a wrong status as a failure", async () => {
  const report = await run(
    async (connection) => (await say(connection, OK.replace("200 OK", "503 No")), true),
    (load) => load.failed > 3,
  );
  expect(report.failures[0]).toBe("fresh connection: status 503: ok");
  expect(report.failures[1]).toBe("kept connection: status 503: ok");
});

Deno.test("Load counts a refused connection as a failure", async () => {
  const server = serve(() => Promise.resolve(false));
  await server.close();
  await using load = startLoad({ target: { port: server.port }, keepAlive: 1, fresh: 0 });
  await eventually(() => load.failed > 1, { what: "a failure" });
  expect((await load.stop()).failures[0]).toContain("refused");
});
