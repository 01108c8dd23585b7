import { expect } from "expect";
import { envoyConfig, eventually, freePort, Hopeless, startProcess } from "../envoy/harness/mod.ts";
import { CLI } from "../program.ts";

const FAMILIES = ["127.0.0.1", "[::1]"];

interface Case {
  readonly command: string;
  readonly args: (folder: string) => readonly string[];
  /** What is asked for at both addresses. */
  readonly paths: readonly string[];
  /** How to give it its port. */
  readonly listen: (port: number) => readonly string[];
}

const CASES: readonly Case[] = [
  {
    command: "loader",
    args: (folder) => ["--from", `${folder}/config`, "--output-dir", `${folder}/out`],
    paths: ["/healthz", "/metrics"],
    listen: (port) => ["--health-probe-bind-address", `:${port}`, "--metrics-bind-address", `:${port}`],
  },
  {
    command: "shutdown-manager",
    args: (folder) => ["--ready-file", `${folder}/ready`],
    paths: ["/healthz"],
    listen: (port) => ["--port", String(port)],
  },
  {
    command: "standalone",
    args: (folder) => ["--config", `${folder}/config`, "--data", `${folder}/data`, "--xds-bind", `unix:${folder}/xds`],
    paths: ["/healthz", "/metrics"],
    listen: (port) => ["--admin-bind", `[::]:${port}`],
  },
];

async function answer(host: string, port: number, path: string): Promise<number> {
  const response = await fetch(`http://${host}:${port}${path}`);
  await response.body?.cancel();
  return response.status;
}

for (const { command, args, paths, listen } of CASES) {
  Deno.test(`chancery ${command} listens to IPv4 and IPv6 when it listens on all addresses`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "chancery-dual-stack-" });
    try {
      await Deno.mkdir(`${folder}/config`);
      await Deno.writeTextFile(`${folder}/config/edge.json`, JSON.stringify(envoyConfig("edge", [])));
      const port = freePort();
      await using program = startProcess({
        name: command,
        command: Deno.execPath(),
        args: ["run", "--quiet", "--no-check", "--allow-all", CLI, command, ...args(folder), ...listen(port)],
      });
      await eventually(async () => {
        if (program.ended) throw new Hopeless(`${command} has ended`);
        return await answer(FAMILIES[0]!, port, paths[0]!) === 200;
      }, { what: `${command} to answer`, deadlineMs: 60_000, explain: () => program.tail() });
      for (const host of FAMILIES) {
        for (const path of paths) expect([host, path, await answer(host, port, path)]).toEqual([host, path, 200]);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
