import { expect } from "expect";

const TOP = decodeURIComponent(new URL("../../", import.meta.url).pathname);

async function run(cwd: string, args: string[], env: Record<string, string>) {
  const output = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
    clearEnv: true,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code: output.code, stdout: decoder.decode(output.stdout), stderr: decoder.decode(output.stderr) };
}

Deno.test("the bundle runs alone: empty folder, empty cache, no registry", async (t) => {
  const folder = await Deno.makeTempDir({ prefix: "chancery-bundle-" });
  try {
    const bundle = `${folder}/chancery.js`;
    const built = await run(TOP, ["run", "--quiet", "--allow-all", "scripts/bundle.ts", bundle], Deno.env.toObject());
    expect(built).toMatchObject({ code: 0 });

    await Deno.mkdir(`${folder}/empty`);
    // Nobody listens there, and nothing is cached.
    const alone = { DENO_DIR: `${folder}/deno`, HOME: folder, NPM_CONFIG_REGISTRY: "http://127.0.0.1:1" };
    const chancery = (...args: string[]) => run(`${folder}/empty`, ["run", "--allow-all", bundle, ...args], alone);

    await t.step("version", async () => {
      const { code, stdout, stderr } = await chancery("version");
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      const { version } = JSON.parse(await Deno.readTextFile(`${TOP}/deno.json`));
      expect(stdout).toContain(version);
      expect(stdout).toContain("1.40.0");
    });

    await t.step("bootstrap", async () => {
      for (const format of ["json", "yaml"]) {
        const { code, stdout, stderr } = await chancery("bootstrap", "--node-id", "edge", "--format", format);
        expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
        if (format === "json") expect(JSON.parse(stdout)).toMatchObject({ node: { id: "edge" } });
        else expect(stdout).toContain("id: edge");
      }
    });

    await t.step("help of every command", async () => {
      const { stdout } = await chancery("--help");
      const names = [...stdout.matchAll(/^ {2}([a-z-]+) /gm)].map((match) => match[1]!).filter((name) =>
        !name.startsWith("-")
      );
      expect(names).toContain("standalone");
      for (const name of names) expect([name, (await chancery(name, "--help")).code]).toEqual([name, 0]);
    });

    await t.step("standalone", async () => {
      await Deno.mkdir(`${folder}/config`);
      await Deno.writeTextFile(
        `${folder}/config/edge.yaml`,
        "apiVersion: marin3r.3scale.net/v1alpha1\nkind: EnvoyConfig\nmetadata: {name: edge, namespace: default}\n" +
          "spec:\n  nodeID: edge\n  resources: [{type: cluster, value: {name: a, type: STATIC, connect_timeout: 1s}}]\n",
      );
      const child = new Deno.Command(Deno.execPath(), {
        args: [
          ...["run", "--allow-all", bundle, "standalone", "--config", `${folder}/config`, "--data", `${folder}/data`],
          ...["--xds-bind", "127.0.0.1:0", "--admin-bind", "127.0.0.1:0", "--log-format", "json"],
        ],
        cwd: `${folder}/empty`,
        clearEnv: true,
        env: alone,
        stdin: "null",
        stdout: "piped",
        stderr: "piped",
      }).spawn();
      let said = "";
      const copies = [child.stdout, child.stderr].map(async (stream) => {
        for await (const text of stream.pipeThrough(new TextDecoderStream())) {
          said += text;
          if (said.includes("ready")) signal(child);
        }
      });
      const { code } = await child.status;
      await Promise.all(copies);
      expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining("ready") });
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/** SIGTERM, unless it was told already and is gone. */
function signal(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}
