import { cacheFolder } from "../../scripts/envoy/mod.ts";
import { hashOf } from "../bench/paths.ts";

const SOURCE = new URL("go", import.meta.url).pathname;

/**
 * Path of the real Helm: that on PATH, or one built from its Go module, once per state of `go/`, which takes some minutes the first
 * time.
 */
export async function findHelm(): Promise<string> {
  const found = await new Deno.Command("helm", { args: ["version"], stdout: "null", stderr: "null" }).output()
    .then(({ success }) => success, () => false);
  if (found) return "helm";
  const folder = `${cacheFolder()}/helm/${await hashOf(SOURCE, ["go.mod", "go.sum", "main.go"])}`;
  const path = `${folder}/helm`;
  if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return path;
  await Deno.mkdir(folder, { recursive: true });
  console.error(`Building Helm into ${folder} (once; fetches Go modules the first time, which takes some minutes)`);
  await go(["build", "-buildvcs=false", "-ldflags", "-s -w", "-o", `${path}.new`, "."]);
  await Deno.rename(`${path}.new`, path);
  return path;
}

/** The folder of a Go module: the schemas of those who read our manifests are published so. */
export async function goModule(path: string, version: string): Promise<string> {
  const text = await go(["mod", "download", "-json", `${path}@${version}`]);
  return (JSON.parse(text) as { Dir: string }).Dir; // as go documents it
}

async function go(args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("go", {
    args: [...args],
    cwd: SOURCE,
    env: { CGO_ENABLED: "0" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot run go ${args[0]}: ${decoder.decode(stderr) || decoder.decode(stdout)}`);
  return decoder.decode(stdout);
}
