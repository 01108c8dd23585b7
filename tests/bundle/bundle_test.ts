import { expect } from "expect";
import { eventually, Hopeless, startProcess } from "../envoy/harness/mod.ts";

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
      await using standalone = startProcess({
        name: "chancery",
        command: Deno.execPath(),
        args: [
          ...["run", "--allow-all", bundle, "standalone", "--config", `${folder}/config`, "--data", `${folder}/data`],
          ...["--xds-bind", "127.0.0.1:0", "--admin-bind", "127.0.0.1:0", "--log-format", "json"],
        ],
        env: alone,
      });
      await eventually(() => {
        if (standalone.ended) throw new Hopeless(`chancery ended with code ${standalone.ended.code}`);
        return standalone.lines.some((line) => JSON.parse(line).message === "Ready");
      }, { what: "the bundle to be ready", explain: () => standalone.tail() });
      expect((await standalone.stop()).code).toBe(0);
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
