import { expect } from "expect";
import { createServer } from "node:net";
import { formatBind, isLoopback, serveXds } from "./mod.ts";
import { ADS_SOTW, TestClient } from "./testing/client.ts";
import { EchoHandler } from "./testing/echo.ts";

async function inTemporaryFolder(test: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "xds" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("A Unix socket serves, is for its owner only, and is gone afterwards", async () => {
  await inTemporaryFolder(async (folder) => {
    const handler = new EchoHandler();
    const bind = { unix: `${folder}/x.sock` };
    const server = await serveXds({ bind, handler });
    expect([server.port, server.address]).toEqual([0, `unix:${bind.unix}`]);
    const { isSocket, mode } = await Deno.lstat(bind.unix);
    expect([isSocket, (mode ?? 0) & 0o777]).toEqual([true, 0o600]);
    {
      using client = new TestClient(server.address);
      const stream = client.open(ADS_SOTW);
      stream.send("x");
      expect(await stream.texts(1)).toEqual(["echo:x"]);
      expect(handler.streams[0]?.call.peer).toEqual({ address: "unix" });
      stream.halfClose();
      await stream.status;
    }
    const second = await serveXds({ bind, handler }).catch((e) => e);
    expect(second).toMatchObject({
      code: "conflict",
      message: `Cannot listen on "unix:${bind.unix}": another program listens there`,
    });
    await server.close();
    expect([...Deno.readDirSync(folder)]).toEqual([]);
  });
});

Deno.test("A Unix socket that a dead process left behind is replaced", async () => {
  await inTemporaryFolder(async (folder) => {
    const path = `${folder}/x.sock`;
    const dead = createServer();
    await new Promise<void>((resolve) => dead.listen(`${folder}/y.sock`, resolve));
    await Deno.rename(`${folder}/y.sock`, path);
    await new Promise((resolve) => dead.close(resolve));
    expect((await Deno.lstat(path)).isSocket).toBe(true);
    const server = await serveXds({ bind: { unix: path }, handler: new EchoHandler() });
    {
      using client = new TestClient(server.address);
      const stream = client.open(ADS_SOTW);
      stream.send("x");
      expect(await stream.texts(1)).toEqual(["echo:x"]);
      stream.cancel();
      await stream.status;
    }
    await server.close();
  });
});

Deno.test("A place that cannot be listened on gives an error that names it, and is not harmed", async () => {
  await inTemporaryFolder(async (folder) => {
    const handler = new EchoHandler();
    await Deno.writeTextFile(`${folder}/notes`, "precious");
    const long = `${folder}/${"x".repeat(100)}`;
    const cases = [
      [{ unix: `${folder}/notes` }, "the file there is no socket"],
      [{ unix: long }, "the path must be at most 103 bytes"],
      [{ unix: `${folder}/none/x.sock` }, ""],
      [{ host: "192.0.2.1", port: 0 }, ""],
    ] as const;
    for (const [bind, why] of cases) {
      const error = await serveXds({ bind, handler }).catch((e) => e);
      expect(error).toMatchObject({ name: "ChanceryError", code: "invalid-input" });
      expect(error.message).toContain(`Cannot listen on "${formatBind(bind)}": ${why}`);
    }
    expect(await Deno.readTextFile(`${folder}/notes`)).toBe("precious");
  });
});

Deno.test("isLoopback() knows this machine from the rest of the world", () => {
  for (
    const host of [
      "localhost",
      "LOCALHOST",
      "127.0.0.1",
      "127.1.2.3",
      "::1",
      "[::1]",
      "0:0:0:0:0:0:0:1",
      "::ffff:127.0.0.1",
    ]
  ) {
    expect([host, isLoopback(host)]).toEqual([host, true]);
  }
  for (
    const host of [
      "0.0.0.0",
      "::",
      "",
      "10.0.0.1",
      "128.0.0.1",
      "::2",
      "::1:1",
      "127.0.0.1.example",
      "1::1",
      "localhost.example",
    ]
  ) {
    expect([host, isLoopback(host)]).toEqual([host, false]);
  }
});
