import { expect } from "expect";
import { envoyConfig } from "../envoy/harness/mod.ts";
import { Chancery } from "./chancery.ts";
import { startNotifySocket } from "./notify_socket.ts";

Deno.test("a service manager is told of start, reload, life and end", async () => {
  await using server = new Chancery({ "edge.yaml": [envoyConfig("edge", [])] });
  await using manager = await startNotifySocket();
  await server.start({ env: { NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: "200000" } });
  expect(await manager.next()).toBe(`READY=1\nSTATUS=Serving 1 node ids on 127.0.0.1:${server.xdsPort}`);
  expect(await manager.next()).toBe("WATCHDOG=1");
  expect(await manager.next()).toBe("WATCHDOG=1");
  server.write("two.yaml", [envoyConfig("two", [])]);
  server.process.signal("SIGHUP");
  const told = [];
  while (told.at(-1)?.startsWith("READY") !== true) {
    const message = await manager.next();
    if (message !== "WATCHDOG=1") told.push(message);
  }
  expect(told).toEqual([
    expect.stringMatching(/^RELOADING=1\nMONOTONIC_USEC=\d+$/),
    `READY=1\nSTATUS=Serving 2 node ids on 127.0.0.1:${server.xdsPort}`,
  ]);
  server.process.signal("SIGTERM");
  let last = "WATCHDOG=1";
  while (last === "WATCHDOG=1") last = await manager.next();
  expect(last).toBe("STOPPING=1");
  expect(await server.ended()).toBe(0);
});
