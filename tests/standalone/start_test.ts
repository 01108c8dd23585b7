import { expect } from "expect";
import { envoyConfig, listener } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";

const FILES = { "edge.yaml": [envoyConfig("edge", [listener("in", { port: 1, routes: { text: "hello" } })])] };

Deno.test("standalone serves what the directory says, and ends cleanly with SIGTERM", async () => {
  await using server = new Chancery(FILES);
  const process = await server.start();
  const status = await server.status();
  expect(status).toMatchObject({
    ready: true,
    details: [],
    findings: [],
    store: { writable: true },
    xds: { address: `127.0.0.1:${server.xdsPort}` },
  });
  expect(status["nodes"]).toMatchObject([{ nodeId: "edge", streams: [] }]);
  expect(await process.stop()).toMatchObject({ code: 0 });
  expect(server.log.at(-1)).toMatchObject({ message: "Ended" });
});

Deno.test("a second standalone on the same data directory is refused, and the first goes on", async () => {
  await using first = new Chancery(FILES);
  const { pid } = await first.start();
  await using second = new Chancery(FILES);
  await second.start({ args: ["--data", first.data], unready: true });
  expect(await second.ended()).toBe(2);
  expect(second.output).toContain(`error: Cannot use data directory "${first.data}": process ${pid} is using it`);
  expect((await first.get("/readyz")).status).toBe(200);
});

Deno.test("a port that is in use is named, for xDS and for the admin interface", async () => {
  await using first = new Chancery(FILES);
  await first.start();
  await using second = new Chancery(FILES);
  await second.start({ args: ["--xds-bind", `127.0.0.1:${first.xdsPort}`], unready: true });
  expect(await second.ended()).toBe(2);
  expect(second.output).toContain(
    `error: Cannot listen on "127.0.0.1:${first.xdsPort}": another program listens there`,
  );
  await second.start({ args: ["--admin-bind", `127.0.0.1:${first.adminPort}`], unready: true });
  expect(await second.ended()).toBe(2);
  expect(second.output).toContain(`error: Cannot serve the admin interface on "127.0.0.1:${first.adminPort}"`);
  expect((await first.get("/readyz")).status).toBe(200);
});

Deno.test("plain text beyond this machine has to be asked for", async () => {
  await using server = new Chancery(FILES);
  const everywhere = `0.0.0.0:${server.xdsPort}`;
  await server.start({ args: ["--xds-bind", everywhere], unready: true });
  expect(await server.ended()).toBe(2);
  expect(server.output).toContain(`error: Cannot serve xDS on "${everywhere}" in plain text`);
});

Deno.test("the environment sets options, and the command line wins", async () => {
  await using server = new Chancery(FILES);
  await server.start({
    args: ["--log-level", "error"],
    env: { CHANCERY_LOG_LEVEL: "debug", CHANCERY_ALLOW_EMPTY: "false", CHANCERY_ON_DELETE: "keep" },
  });
  expect(server.log).toEqual([]);
  await using wrong = new Chancery(FILES);
  await wrong.start({ env: { CHANCERY_ON_DELETE: "kep" }, unready: true });
  expect(await wrong.ended()).toBe(2);
  expect(wrong.output).toContain('error: CHANCERY_ON_DELETE: "kep" is none of keep, empty, did you mean "keep"?');
});

Deno.test("a second signal ends at once with status 130", async () => {
  await using server = new Chancery(FILES);
  await server.start();
  // Somebody who never finishes a request keeps the end waiting.
  using slow = await Deno.connect({ transport: "unix", path: `${server.data}/admin.sock` });
  await slow.write(new TextEncoder().encode("POST /backup HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n{"));
  await server.get("/status"); // by now the request has been read
  server.process.signal("SIGTERM");
  await server.wait("the end to begin", () => server.output.includes("Shutting down"));
  server.process.signal("SIGINT");
  expect(await server.ended()).toBe(130);
});

Deno.test("standalone starts again after kill -9 with everything it had, even when the directory is gone", async () => {
  await using server = new Chancery(FILES);
  const process = await server.start();
  const before = await server.status();
  await process.kill();
  await Deno.rename(server.config, `${server.folder}/elsewhere`);
  await server.start();
  const after = await server.status();
  expect(after["nodes"]).toEqual(before["nodes"]);
  expect(JSON.stringify(after["findings"])).toContain(server.config);
});

Deno.test("a directory that never was is a mistake in the command line", async () => {
  await using server = new Chancery();
  await server.start({ args: ["--config", "/nowhere/at/all"], unready: true });
  expect(await server.ended()).toBe(2);
  expect(server.output).toContain('error: Cannot read directory "/nowhere/at/all"');
});
