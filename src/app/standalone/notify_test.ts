import { expect } from "expect";
import { openNotifier } from "./notify.ts";

/** A real service manager's end of the protocol: a Unix datagram socket in a process that may use the unstable API. */
const LISTENER = `
  const socket = Deno.listenDatagram({ transport: "unixpacket", path: Deno.args[0] });
  console.log("listening");
  for await (const [bytes] of socket) console.log(JSON.stringify(new TextDecoder().decode(bytes)));
`;

async function withListener(use: (path: string, next: () => Promise<string>) => Promise<void>): Promise<void> {
  const dir = await Deno.makeTempDir();
  const path = `${dir}/notify.sock`;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--unstable-net", "--allow-read", "--allow-write", "--allow-net", "--ext=js", "-", path],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  async function next(): Promise<string> {
    while (!text.includes("\n")) {
      const { value, done } = await lines.read();
      if (done) throw new Error("the listener has ended");
      text += value;
    }
    const end = text.indexOf("\n");
    const line = text.slice(0, end);
    text = text.slice(end + 1);
    return line;
  }
  try {
    const stdin = child.stdin.getWriter();
    await stdin.write(new TextEncoder().encode(LISTENER));
    await stdin.close();
    expect(await next()).toBe("listening");
    await use(path, async () => JSON.parse(await next()) as string); // a line that LISTENER wrote
  } finally {
    child.kill("SIGKILL");
    await lines.cancel();
    await child.status;
    await Deno.remove(dir, { recursive: true });
  }
}

function envOf(variables: Record<string, string>): (name: string) => string | undefined {
  return (name) => variables[name];
}

function fail(message: string): never {
  throw new Error(message);
}

Deno.test("openNotifier() tells a real datagram socket that the service is ready, reloads and stops", async () => {
  await withListener(async (path, next) => {
    const notifier = openNotifier({ env: envOf({ NOTIFY_SOCKET: path }), pid: 1, onFailure: fail });
    notifier.send("READY=1", "STATUS=3 nodes");
    expect(await next()).toBe("READY=1\nSTATUS=3 nodes");
    notifier.reloading();
    const [reloading, time] = (await next()).split("\n");
    expect(reloading).toBe("RELOADING=1");
    // Monotonic time of the kernel: what /proc/uptime counts, but for suspended time.
    const uptime = Number((await Deno.readTextFile("/proc/uptime")).split(" ")[0]);
    expect(Math.abs(Number(time?.replace("MONOTONIC_USEC=", "")) / 1e6 - uptime)).toBeLessThan(10);
    notifier.send("STOPPING=1");
    expect(await next()).toBe("STOPPING=1");
    notifier.close();
  });
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
  expect((await out.read()).value).toBe("up\n");
  const notifier = openNotifier({ env: envOf({ NOTIFY_SOCKET: `@${name}` }), pid: 1, onFailure: fail });
  notifier.send("READY=1");
  expect((await out.read()).value).toBe("READY=1\n");
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
