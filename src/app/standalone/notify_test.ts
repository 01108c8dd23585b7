import { expect } from "expect";
import { startNotifySocket } from "../../../tests/standalone/notify_socket.ts";
import { openNotifier } from "./notify.ts";

function envOf(variables: Record<string, string>): (name: string) => string | undefined {
  return (name) => variables[name];
}

function fail(message: string): never {
  throw new Error(message);
}

Deno.test("openNotifier() tells a real datagram socket that the service is ready, reloads and stops", async () => {
  await using manager = await startNotifySocket();
  const notifier = openNotifier({ env: envOf({ NOTIFY_SOCKET: manager.path }), pid: 1, onFailure: fail });
  notifier.send("READY=1", "STATUS=3 nodes");
  expect(await manager.next()).toBe("READY=1\nSTATUS=3 nodes");
  notifier.reloading();
  const [reloading, time] = (await manager.next()).split("\n");
  expect(reloading).toBe("RELOADING=1");
  // Monotonic time of the kernel: what /proc/uptime counts, but for suspended time.
  const uptime = Number((await Deno.readTextFile("/proc/uptime")).split(" ")[0]);
  expect(Math.abs(Number(time?.replace("MONOTONIC_USEC=", "")) / 1e6 - uptime)).toBeLessThan(10);
  notifier.send("STOPPING=1");
  expect(await manager.next()).toBe("STOPPING=1");
  notifier.close();
});

// Deno binds no abstract socket, Python does.
const PYTHON = `
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\\0" + sys.argv[1])
print("up", flush=True)
print(s.recv(99).decode(), flush=True)
`;

Deno.test("openNotifier() finds abstract sockets", async () => {
  const name = `chancery-${crypto.randomUUID()}`;
  const child = new Deno.Command("python3", { args: ["-c", PYTHON, name], stdout: "piped" }).spawn();
  const out = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let said = "";
  async function line(): Promise<string> { // a pipe may hand out a line in parts
    while (!said.includes("\n")) {
      const { value, done } = await out.read();
      if (done) throw new Error(`The listener ended after ${JSON.stringify(said)}`);
      said += value;
    }
    const end = said.indexOf("\n");
    const text = said.slice(0, end);
    said = said.slice(end + 1);
    return text;
  }
  expect(await line()).toBe("up");
  const notifier = openNotifier({ env: envOf({ NOTIFY_SOCKET: `@${name}` }), pid: 1, onFailure: fail });
  notifier.send("READY=1");
  expect(await line()).toBe("READY=1");
  notifier.close();
  await out.cancel();
  await child.status;
});

Deno.test("openNotifier() says once that nobody listens, and goes on", () => {
  const said: string[] = [];
  const notifier = openNotifier({
    env: envOf({ NOTIFY_SOCKET: "/nowhere/notify.sock" }),
    pid: 1,
    onFailure: (message) => said.push(message),
  });
  notifier.send("READY=1");
  notifier.send("STOPPING=1");
  notifier.close();
  expect(said).toEqual(['Cannot notify the service manager at "/nowhere/notify.sock"']);
});

Deno.test("openNotifier() does nothing without a service manager", () => {
  const notifier = openNotifier({ env: envOf({ WATCHDOG_USEC: "5" }), pid: 1, onFailure: fail });
  notifier.send("READY=1");
  notifier.reloading();
  expect(notifier.watchdogUsec).toBeUndefined();
  notifier.close();
});

Deno.test("openNotifier() heeds a watchdog only when it is meant for this process", () => {
  const usec = (variables: Record<string, string>) => {
    const env = envOf({ NOTIFY_SOCKET: "/nowhere", ...variables });
    const notifier = openNotifier({ env, pid: 7, onFailure: fail });
    notifier.close();
    return notifier.watchdogUsec;
  };
  expect(usec({ WATCHDOG_USEC: "30000000" })).toBe(30_000_000);
  expect(usec({ WATCHDOG_USEC: "30000000", WATCHDOG_PID: "7" })).toBe(30_000_000);
  expect(usec({ WATCHDOG_USEC: "30000000", WATCHDOG_PID: "8" })).toBeUndefined();
  expect(usec({ WATCHDOG_USEC: "0" })).toBeUndefined();
  expect(usec({})).toBeUndefined();
});
