import { expect } from "expect";
import { capture } from "../cluster/node/machine/run.ts";
import { envoyConfig, eventually, startProcess } from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";
import { startNotifySocket } from "../standalone/notify_socket.ts";
import { denoFolder } from "./place.ts";

const UNIT = decodeURIComponent(new URL("../../manifests/systemd/chancery.service", import.meta.url).pathname);
const EXECUTABLE = "/usr/local/bin/chancery";
/** What every unit of a system depends on. */
const TARGETS = ["basic", "multi-user", "network-online", "shutdown", "sysinit"];

const analyzes = await capture(["systemd-analyze", "--version"]).then(({ code }) => code === 0, () => false);

/** The values of a setting of the unit, in their order. */
async function settings(name: string): Promise<string[]> {
  const text = await Deno.readTextFile(UNIT);
  return [...text.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value]) => value!);
}

/** A system in which nothing is but this unit, the program, and what units depend on. */
async function systemWithUnit(root: string): Promise<void> {
  const write = async (path: string, text: string, mode = 0o644) => {
    await Deno.mkdir(`${root}${path.replace(/\/[^/]*$/, "")}`, { recursive: true });
    await Deno.writeTextFile(`${root}${path}`, text, { mode });
  };
  for (const name of TARGETS) await write(`/usr/lib/systemd/system/${name}.target`, `[Unit]\nDescription=${name}\n`);
  for (const path of [EXECUTABLE, "/bin/kill"]) await write(path, "#!/bin/sh\n", 0o755);
  await write("/etc/systemd/system/chancery.service", await Deno.readTextFile(UNIT));
}

Deno.test({
  name: "systemd finds nothing wrong with the unit, and nearly nothing that it could take away from it",
  ignore: !analyzes,
  async fn() {
    const root = await Deno.makeTempDir({ prefix: "chancery-systemd-" });
    try {
      await systemWithUnit(root);
      const verified = await capture(["systemd-analyze", "verify", "--man=no", `--root=${root}`, "chancery.service"]);
      expect(verified).toEqual({ code: 0, stdout: "", stderr: "" });
      // 0 is a program that can do nothing, 10 one without any limit; threshold in tenths.
      const exposed = await capture(["systemd-analyze", "security", "--offline=true", "--threshold=20", UNIT]);
      expect([exposed.code, exposed.stderr]).toEqual([0, ""]);
    } finally {
      await Deno.remove(root, { recursive: true });
    }
  },
});

Deno.test("what the unit starts serves, tells systemd so, and reads its manifests again when told to", async () => {
  const [start = ""] = await settings("ExecStart");
  const [program, ...args] = start.split(" ");
  expect(program).toBe(EXECUTABLE);
  expect(await settings("Type")).toEqual(["notify"]);
  const [folders, variables] = [
    { "/etc/chancery": "config", "/var/lib/chancery": "data", "/var/cache/chancery": "cache" },
    (await settings("Environment")).flatMap((line) => line.split(" ")).map((pair) => pair.split("=")),
  ];
  const folder = await Deno.makeTempDir({ prefix: "chancery-systemd-" });
  const placed = (text: string) =>
    Object.entries(folders).reduce((rest, [path, name]) => rest.replace(path, `${folder}/${name}`), text);
  for (const name of Object.values(folders)) await Deno.mkdir(`${folder}/${name}`);
  const write = (name: string) =>
    Deno.writeTextFile(`${folder}/config/${name}.json`, JSON.stringify(envoyConfig(name, [])));
  try {
    await write("edge");
    await using manager = await startNotifySocket();
    const { DENO_DIR: _, ...env } = Object.fromEntries(
      variables.map(([name = "", value = ""]) => [name, placed(value)]),
    );
    await using service = startProcess({
      name: "chancery",
      command: Deno.execPath(),
      args: ["run", "--quiet", "--no-check", "--allow-all", CLI, ...args.map(placed)],
      env: {
        ...{ DENO_DIR: await denoFolder(), ...env },
        // A file of options as an administrator writes it: every test has ports of its own.
        ...{ CHANCERY_XDS_BIND: "127.0.0.1:0", CHANCERY_ADMIN_BIND: "127.0.0.1:0" },
        ...{ NOTIFY_SOCKET: manager.path, WATCHDOG_USEC: "30000000" },
      },
    });
    const told = async (pattern: RegExp) => {
      for (;;) {
        const message = await manager.next();
        if (pattern.test(message)) return;
      }
    };
    await told(/^READY=1\nSTATUS=Serving 1 node ids/);
    await write("two");
    service.signal("SIGHUP"); // ExecReload
    expect(await settings("ExecReload")).toEqual(["/bin/kill -HUP $MAINPID"]);
    await told(/^RELOADING=1/);
    await told(/^READY=1\nSTATUS=Serving 2 node ids/);
    service.signal("SIGTERM");
    await told(/^STOPPING=1/);
    expect((await eventually(() => service.ended, { what: "it to end", deadlineMs: 60_000 })).code).toBe(0);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
