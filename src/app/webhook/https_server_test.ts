import { expect } from "expect";
import { createAuthority } from "../../../tests/certificates.ts";
import { type HttpsLimits, type RunningHttps, serveHttps } from "./https_server.ts";

const REQUEST = new TextEncoder().encode("POST /x HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}");

interface Scene {
  readonly server: RunningHttps;
  readonly port: number;
  /** An open connection. */
  connect(): Promise<Deno.TlsConn>;
}

async function withServer(limits: Partial<HttpsLimits>, use: (scene: Scene) => Promise<void>): Promise<void> {
  const authority = await createAuthority();
  const { cert, key } = await authority.issue({ commonName: "server", dns: ["localhost"] });
  const server = await serveHttps({
    host: "127.0.0.1",
    port: 0,
    tls: { certificate: cert, privateKey: key },
    limits,
    async answer({ body }) {
      return { status: 200, headers: {}, body: await body(AbortSignal.timeout(5_000)) };
    },
  });
  const port = Number(server.address.split(":")[1]);
  try {
    await use({
      server,
      port,
      connect: () => Deno.connectTls({ hostname: "localhost", port, caCerts: [authority.cert] }),
    });
  } finally {
    await server.close({ deadlineMs: 1_000 });
  }
}

/** Status line of the answer to one more request on the connection. */
async function ask(connection: Deno.Conn): Promise<string> {
  await connection.write(REQUEST);
  const buffer = new Uint8Array(4096);
  const count = await connection.read(buffer) ?? 0;
  return new TextDecoder().decode(buffer.subarray(0, count)).split("\r\n")[0] ?? "";
}

/** Milliseconds until the other side closes. */
async function closedAfter(connection: Deno.Conn): Promise<number> {
  const start = performance.now();
  const buffer = new Uint8Array(64);
  while (await connection.read(buffer).catch(() => null) !== null); // a hang would be the failure
  return performance.now() - start;
}

Deno.test("a connection that has shaken hands stays open between its requests, longer than a handshake may take", async () => {
  await withServer({ handshakeMs: 200, headersMs: 200, idleMs: 5_000 }, async ({ connect }) => {
    using connection = await connect();
    expect(await ask(connection)).toBe("HTTP/1.1 200 OK");
    using silent = await connect();
    expect(await closedAfter(silent)).toBeGreaterThan(150); // it never asked
    expect(await ask(connection)).toBe("HTTP/1.1 200 OK");
  });
});

Deno.test("a connection without a handshake, and an idle one, are closed in time", async () => {
  await withServer({ handshakeMs: 200, idleMs: 300 }, async ({ port, connect }) => {
    using raw = await Deno.connect({ hostname: "127.0.0.1", port });
    expect(await closedAfter(raw)).toBeLessThan(3_000);
    using idle = await connect();
    expect(await ask(idle)).toBe("HTTP/1.1 200 OK");
    expect(await closedAfter(idle)).toBeLessThan(4_000);
  });
});

Deno.test("of more connections than allowed the quietest is closed, so that whoever comes is answered", async () => {
  await withServer({ connections: 3 }, async ({ port, connect }) => {
    using asking = await connect();
    using quiet = await connect();
    using half = await Deno.connect({ hostname: "127.0.0.1", port });
    expect(await ask(asking)).toBe("HTTP/1.1 200 OK");
    using fourth = await connect();
    expect(await closedAfter(quiet)).toBeLessThan(3_000);
    expect(await ask(fourth)).toBe("HTTP/1.1 200 OK");
    using fifth = await connect();
    expect(await closedAfter(half)).toBeLessThan(3_000);
    expect(await ask(fifth)).toBe("HTTP/1.1 200 OK");
    expect(await ask(asking)).toBe("HTTP/1.1 200 OK");
  });
});

Deno.test("a port that is taken, and one that is none, are told", async () => {
  await withServer({}, async ({ port }) => {
    const tls = { certificate: "", privateKey: "" };
    const answer = () => Promise.reject(new Error("not asked"));
    await expect(serveHttps({ host: "127.0.0.1", port, tls, answer })).rejects.toThrow(
      `Cannot serve the webhook on "127.0.0.1:${port}": another program listens there`,
    );
  });
});
