import { expect } from "expect";
import { findExecutables } from "./executables.ts";
import { clusterTest } from "./mod.ts";

const MOD = JSON.stringify(import.meta.resolve("./mod.ts"));
const CONFIG = new URL("../../../deno.json", import.meta.url).pathname;

Deno.test("where a control plane cannot be had, its tests are reported as ignored, with the reason", async () => {
  const nowhere = await Deno.makeTempDir();
  const text = `import { clusterTest } from ${MOD};\nclusterTest("a", () => {});\nclusterTest("b", () => {});`;
  const run = await deno("test", text, { PATH: nowhere, XDG_CACHE_HOME: nowhere, KUBEBUILDER_ASSETS: "" });
  expect(run.code).toBe(0);
  expect(run.output).toContain("ok | 0 passed | 0 failed | 2 ignored");
  expect(run.output.match(/Tests on a real API server are left out/g)).toHaveLength(1);
  expect(run.output).toContain(`There is neither "go" on PATH`);
  const named = await deno("test", text, { KUBEBUILDER_ASSETS: nowhere });
  expect(named.output).toContain(
    `KUBEBUILDER_ASSETS names "${nowhere}", where etcd, kube-apiserver, kubectl is missing`,
  );
  expect(named.output).toContain("2 ignored");
  await Deno.remove(nowhere, { recursive: true });
});

clusterTest("KUBEBUILDER_ASSETS is used as it is, without the components that such folders do not have", async () => {
  const { folder } = await findExecutables(console.error);
  const assets = await Deno.makeTempDir();
  for (const name of ["etcd", "kube-apiserver", "kubectl"]) {
    await Deno.symlink(`${folder}/${name}`, `${assets}/${name}`);
  }
  const text = `
    import { startControlPlane } from ${MOD};
    await using cluster = await startControlPlane();
    const { stdout } = await cluster.kubectl(["get", "namespace", await cluster.namespace("mine"), "-o", "name"]);
    console.log(JSON.stringify([cluster.components, stdout.slice(0, 15)]));
    const refused = await startControlPlane({ components: ["kube-scheduler"] }).then(() => "", (error) => error.message);
    console.log(refused);`;
  const run = await deno("run", text, { PATH: "/usr/bin:/bin", XDG_CACHE_HOME: assets, KUBEBUILDER_ASSETS: assets });
  expect(run.stdout.split("\n").slice(0, 2)).toEqual([
    JSON.stringify([["etcd", "kube-apiserver"], "namespace/mine-"]),
    `Cannot start kube-scheduler: "${assets}" has no such executable`,
  ]);
  await Deno.remove(assets, { recursive: true });
});

/** Runs a program of ours with other variables. */
async function deno(verb: "test" | "run", text: string, env: Record<string, string>) {
  const script = await Deno.makeTempFile({ suffix: "_test.ts" });
  await Deno.writeTextFile(script, text);
  const info = await new Deno.Command(Deno.execPath(), { args: ["info", "--json"] }).output();
  const { denoDir } = JSON.parse(new TextDecoder().decode(info.stdout)); // our XDG_CACHE_HOME would move it
  try {
    const output = await new Deno.Command(Deno.execPath(), {
      args: [verb, "--allow-all", "--no-check", `--config=${CONFIG}`, script],
      env: { NO_COLOR: "1", DENO_DIR: denoDir, ...env },
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).output();
    const decoder = new TextDecoder();
    const stdout = decoder.decode(output.stdout);
    return { code: output.code, stdout, output: stdout + decoder.decode(output.stderr) };
  } finally {
    await Deno.remove(script);
  }
}
