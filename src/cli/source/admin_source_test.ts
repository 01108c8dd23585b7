import { expect } from "expect";
import fc from "fast-check";
import { adminSource, batches } from "./admin_source.ts";

Deno.test("batches() asks for every resource once, in questions that a server takes", () => {
  fc.assert(fc.property(fc.array(fc.string({ maxLength: 600 }), { maxLength: 200 }), (names) => {
    const parts = batches(names);
    const asked = parts.flatMap((part) => new URLSearchParams(part.slice(1)).getAll("resource"));
    expect(asked).toEqual(names.map((name) => name.toWellFormed()));
    for (const part of parts) {
      const count = new URLSearchParams(part.slice(1)).size;
      expect(count).toBeGreaterThan(0);
      expect(count).toBeLessThanOrEqual(50);
      expect(part.length <= 8_000 || count === 1).toBe(true);
    }
  }));
});

Deno.test("adminSource() asks whom was named, and says how to ask the same again", () => {
  const named = (server: string | undefined, data: string | undefined) => {
    const [host = "", port] = server?.split(":") ?? [];
    const { name, flags } = adminSource({
      server: server ? { kind: "tcp", host, port: Number(port) } : undefined,
      data,
    });
    return [name, flags];
  };
  expect(named(undefined, undefined)).toEqual(["127.0.0.1:18080", ""]);
  expect(named("xds:1", "d")).toEqual(["xds:1", " --server xds:1"]);
  expect(named(undefined, "/a b")).toEqual(["unix:/a b/admin.sock", " --data '/a b'"]);
});

Deno.test("adminSource() says what to do where nobody answers", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const source = adminSource({ server: undefined, data: folder });
    await expect(source.configs()).rejects.toThrow(
      `Cannot reach "unix:${folder}/admin.sock": no such file or directory\n` +
        "Next: is a standalone running on that data directory? chancery standalone --help",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("adminSource() knows an answer that is not of an admin interface", async () => {
  const stranger = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    return request.url.includes("history") ? new Response("nothing here\n", { status: 404 }) : new Response("<html>");
  });
  try {
    const server = { kind: "tcp", host: "127.0.0.1", port: stranger.addr.port } as const;
    const source = adminSource({ server, data: undefined });
    await expect(source.configs()).rejects.toThrow("it is no admin interface of Chancery");
    const key = { kind: "EnvoyConfig", namespace: "a", name: "b" };
    await expect(source.history(key)).rejects.toMatchObject({ code: "not-found", message: "nothing here" });
  } finally {
    await stranger.shutdown();
  }
});

Deno.test("adminSource() reaches an IPv6 address, whatever proxy the environment names", async () => {
  const near = Deno.serve({ hostname: "::1", port: 0, onListen() {} }, () => Response.json({ configs: [] }));
  Deno.env.set("HTTP_PROXY", "http://127.0.0.1:9");
  try {
    const source = adminSource({ server: { kind: "tcp", host: "::1", port: near.addr.port }, data: undefined });
    expect(source.name).toBe(`[::1]:${near.addr.port}`);
    expect(await source.configs()).toEqual({ configs: [] });
  } finally {
    Deno.env.delete("HTTP_PROXY");
    await near.shutdown();
  }
});
