import { expect } from "expect";
import { ChanceryError } from "../../base/mod.ts";
import { parseAddress } from "../../bootstrap/mod.ts";
import { type AdminActions, type AdminSource, askSocket, fullApp, readOnlyApp, type StatusDocument } from "./mod.ts";
import { serveAdmin, serveSocket } from "./mod.ts";
import { listenTcp } from "./tcp_server.ts";

const STATUS: StatusDocument = {
  version: "0",
  envoyApi: "0",
  startedAt: "2026-01-01T00:00:00.000Z",
  ready: true,
  details: [],
  config: { dir: "/c", files: 1, objects: 2, skipped: { Deployment: 3 } },
  store: { writable: true },
  xds: {},
  nodes: [],
  findings: [],
};

function sourceOf(status: Partial<StatusDocument> = {}): AdminSource {
  return {
    status: () => ({ ...STATUS, ...status }),
    metrics: () => Promise.resolve({ contentType: "text/plain; version=0.0.4", text: "a 1\n" }),
    configs: () => Promise.resolve({ now: "", details: [], configs: [], strays: [], findings: [] }),
    history: () => Promise.reject(new ChanceryError("not-found", "no such object")),
    served: (nodeId, wanted) => ({ nodeId, publication: [...wanted].join(), resources: [] }),
  };
}

/** Serves on a free port; `get` asks it, with any Host header. */
async function withTcp(source: AdminSource, use: (get: typeof request) => Promise<void>): Promise<void> {
  const running = await serveAdmin(readOnlyApp(source, { allowedHosts: ["admin.demo"] }), ANY_PORT);
  const port = running.address.kind === "tcp" ? running.address.port : 0;
  try {
    await use((path, options) => request(path, { port, ...options }));
  } finally {
    await running.close();
  }
}

const ANY_PORT = parseAddress("127.0.0.1:0", { anyPort: true });

/** One request by hand: `fetch` does not let the Host header be forged. */
async function request(
  path: string,
  { port = 0, host = `127.0.0.1:${port}`, method = "GET" }: { port?: number; host?: string; method?: string } = {},
): Promise<{ status: number; headers: string; body: string }> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const hostLine = host === "" ? "" : `Host: ${host}\r\n`;
  await connection.write(
    new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${hostLine}Connection: close\r\n\r\n`),
  );
  let text = "";
  const decoder = new TextDecoder();
  const buffer = new Uint8Array(65536);
  for (let n = await connection.read(buffer); n !== null; n = await connection.read(buffer)) {
    text += decoder.decode(buffer.subarray(0, n), { stream: true });
  }
  const [headers = "", body = ""] = text.split("\r\n\r\n");
  return { status: Number(headers.split(" ")[1]), headers: headers.toLowerCase(), body };
}

Deno.test("the admin interface answers health, metrics and status", async () => {
  await withTcp(sourceOf(), async (get) => {
    expect(await get("/healthz")).toMatchObject({ status: 200, body: "ok\n" });
    expect(await get("/readyz")).toMatchObject({ status: 200, body: "ok\n" });
    const metrics = await get("/metrics");
    expect(metrics).toMatchObject({ status: 200, body: "a 1\n" });
    expect(metrics.headers).toContain("content-type: text/plain; version=0.0.4");
    const status = await get("/status");
    expect(JSON.parse(status.body)).toEqual(STATUS);
    expect(status.headers).toContain("cache-control: no-store");
    expect(await get("/nothing")).toMatchObject({ status: 404 });
  });
});

Deno.test("readyz is 503 until everything is loaded, and says what is missing", async () => {
  await withTcp(sourceOf({ ready: false, details: ["the directory is being read"] }), async (get) => {
    expect(await get("/readyz")).toMatchObject({ status: 503, body: "not ready\nthe directory is being read\n" });
    expect(await get("/healthz")).toMatchObject({ status: 200 });
  });
});

Deno.test("the admin interface tells of EnvoyConfigs, and says what it cannot find or show", async () => {
  await withTcp(sourceOf(), async (get) => {
    expect(JSON.parse((await get("/configs")).body)).toMatchObject({ configs: [], strays: [] });
    expect(await get("/history")).toMatchObject({ status: 400, body: expect.stringContaining("name are needed") });
    expect(await get("/history?namespace=a&name=b")).toMatchObject({ status: 404, body: '{"error":"no such object"}' });
    const served = await get("/served?node=a%2Fb&resource=CDS/x&resource=LDS/y%26z");
    expect(JSON.parse(served.body)).toMatchObject({ nodeId: "a/b", publication: "CDS/x,LDS/y&z" });
    const many = Array.from({ length: 51 }, (_, index) => `resource=CDS/${index}`).join("&");
    expect(await get(`/served?node=a&${many}`)).toMatchObject({ status: 400 });
  });
});

Deno.test("a foreign Host header gets no answer, whatever it asks for", async () => {
  await withTcp(sourceOf(), async (get) => {
    for (const path of ["/status", "/metrics", "/healthz", "/readyz", "/configs", "/history", "/served", "/x"]) {
      const { status, body } = await get(path, { host: "evil.example:80" });
      expect([path, status]).toEqual([path, 403]);
      expect(body).toContain('Cannot answer for host "evil.example:80"');
    }
    expect(await get("/status", { host: "admin.demo" })).toMatchObject({ status: 200 });
    expect((await get("/status", { host: "" })).status).toBeGreaterThanOrEqual(400);
  });
});

Deno.test("nothing can be changed over TCP", async () => {
  await withTcp(sourceOf(), async (get) => {
    for (const path of ["/rescan", "/backup", "/rollback"]) {
      expect(await get(path, { method: "POST" })).toMatchObject({ status: 403 });
    }
    expect(await get("/status", { method: "POST" })).toMatchObject({ status: 404 });
  });
});

Deno.test("serveAdmin() says which address is taken", async () => {
  const first = await serveAdmin(readOnlyApp(sourceOf()), ANY_PORT);
  try {
    await expect(serveAdmin(readOnlyApp(sourceOf()), first.address)).rejects.toThrow(
      /^Cannot serve the admin interface on "127\.0\.0\.1:\d+": /,
    );
  } finally {
    await first.close();
  }
});

Deno.test("a client that sends half a request, or nothing, is let go", async () => {
  const limits = { connections: 100, patienceMs: 200 };
  const server = await listenTcp(readOnlyApp(sourceOf()), { host: "127.0.0.1", port: 0, limits });
  try {
    for (const start of ["GET /status HTTP/1.1\r\nHost: localh", ""]) {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      await connection.write(new TextEncoder().encode(start));
      const buffer = new Uint8Array(1024);
      while (await connection.read(buffer) !== null); // a hang would be the failure
    }
  } finally {
    await server.close();
  }
});

Deno.test("more connections than allowed are closed, and room is given back", async () => {
  const limits = { connections: 2, patienceMs: 10_000 };
  const server = await listenTcp(readOnlyApp(sourceOf()), { host: "127.0.0.1", port: 0, limits });
  try {
    const held = [];
    for (let i = 0; i < 2; i++) held.push(await Deno.connect({ hostname: "127.0.0.1", port: server.port }));
    {
      using third = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      expect(await third.read(new Uint8Array(1)).catch(() => null)).toBeNull();
    }
    for (const connection of held) connection.close();
    let status = 0;
    while (status !== 200) {
      status = (await request("/healthz", { port: server.port }).catch(() => ({ status: 0 }))).status;
    }
  } finally {
    await server.close();
  }
});

Deno.test("what is no proper request is refused without harm", async () => {
  await withTcp(sourceOf(), async (get) => {
    expect((await get("//")).status).toBe(400);
    expect(await get("/healthz", { method: "HEAD" })).toMatchObject({ status: 200, body: "" });
    expect((await get("http://[::bad/")).status).toBe(400);
    expect((await get("/status", { method: "TRACE" })).status).toBeGreaterThanOrEqual(400);
    expect((await get("/healthz")).status).toBe(200);
  });
});

async function withSocket(
  actions: Partial<AdminActions>,
  use: (socket: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/admin.sock`;
  const all = {
    rescan: () => Promise.resolve(),
    backup: () => Promise.resolve(),
    rollback: () => Promise.resolve({ version: "v", changed: false }),
    ...actions,
  };
  const running = serveSocket(fullApp(sourceOf(), all), path);
  try {
    await use(path);
  } finally {
    await running.close();
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("the socket can be opened by its owner only, and works", async () => {
  const asked: string[] = [];
  await withSocket({
    rescan: () => Promise.resolve(void asked.push("rescan")),
    backup: (path) => Promise.resolve(void asked.push(path)),
  }, async (socket) => {
    expect((await Deno.stat(socket)).mode! & 0o777).toBe(0o600);
    expect(await askSocket(socket, "/rescan")).toEqual({ answer: { findings: [] } });
    expect(await askSocket(socket, "/backup", { body: { path: "/x/y" } })).toEqual({ answer: {} });
    expect(asked).toEqual(["rescan", "/x/y"]);
  });
});

Deno.test("a rollback names one object and one wish", async () => {
  const asked: unknown[] = [];
  await withSocket(
    { rollback: (request) => Promise.resolve((asked.push(request), { version: "v", changed: true })) },
    async (socket) => {
      const object = { namespace: "default", name: "edge", uid: "u" };
      expect(await askSocket(socket, "/rollback", { body: { ...object, pin: "v" } })).toEqual({
        answer: { version: "v", changed: true },
      });
      await askSocket(socket, "/rollback", { body: { ...object, retry: true } });
      const key = { kind: "EnvoyConfig", namespace: "default", name: "edge" };
      expect(asked).toEqual([{ key, uid: "u", action: { pin: "v" } }, { key, uid: "u", action: { retry: true } }]);
      for (
        const wrong of [{}, object, { ...object, pin: "v", retry: true }, { ...object, pin: 1 }, {
          name: "x",
          pin: "v",
        }]
      ) {
        await expect(askSocket(socket, "/rollback", { body: wrong })).rejects.toThrow("either pin or retry are needed");
      }
      expect(asked.length).toBe(2);
    },
  );
});

Deno.test("the socket refuses what it does not understand", async () => {
  await withSocket({
    backup: () => Promise.reject(new ChanceryError("conflict", 'Cannot write "/x": it exists')),
  }, async (socket) => {
    await expect(askSocket(socket, "/backup", { body: { path: "relative" } })).rejects.toThrow(
      'an absolute "path" is needed',
    );
    await expect(askSocket(socket, "/backup", { body: { path: "/x" } })).rejects.toThrow(
      'Cannot write "/x": it exists',
    );
    await expect(askSocket(socket, "/backup", { body: { path: `/${"x".repeat(9999)}` } })).rejects.toThrow(
      "at most 4096 bytes",
    );
    await expect(askSocket(socket, "/nothing")).rejects.toMatchObject({ code: "not-found" });
  });
});

Deno.test("askSocket() tells a missing or dead socket from an answer", async () => {
  const dir = await Deno.makeTempDir();
  try {
    expect(await askSocket(`${dir}/admin.sock`, "/rescan")).toBeUndefined();
    Deno.listen({ transport: "unix", path: `${dir}/dead.sock` }).close();
    expect(await askSocket(`${dir}/dead.sock`, "/rescan")).toBeUndefined();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
