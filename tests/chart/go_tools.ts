import { cacheFolder } from "../../scripts/envoy/mod.ts";
import { hashOf } from "../bench/paths.ts";

const HELM = new URL("go", import.meta.url).pathname;

/** A program of others that is built from Go modules. */
export interface GoProgram {
  /** Of the executable. */
  readonly name: string;
  /** Folder with the `go.mod` that says of which versions. */
  readonly source: string;
  /** The files in it that the program depends on, besides `go.mod` and `go.sum`. */
  readonly files: readonly string[];
  readonly package: string;
  readonly tags?: string;
}

/** Path of a program, which is built once per state of its source; that takes some minutes the first time. */
export async function buildGo({ name, source, files, package: path, tags }: GoProgram): Promise<string> {
  const folder = `${cacheFolder()}/${name}/${await hashOf(source, ["go.mod", "go.sum", ...files])}`;
  const built = `${folder}/${name}`;
  if (await Deno.stat(built).then(({ isFile }) => isFile, () => false)) return built;
  await Deno.mkdir(folder, { recursive: true });
  console.error(`Building ${name} into ${folder} (once; fetches Go modules the first time, which takes some minutes)`);
  const tagged = tags === undefined ? [] : ["-tags", tags];
  await go(["build", "-buildvcs=false", ...tagged, "-ldflags", "-s -w", "-o", `${built}.new`, path], source);
  await Deno.rename(`${built}.new`, built);
  return built;
}

/** Path of the real Helm: that on PATH, or one built from its Go module. */
export async function findHelm(): Promise<string> {
  return await runs("helm") ? "helm" : await buildGo({ name: "helm", source: HELM, files: ["main.go"], package: "." });
}

async function runs(program: string): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(program, { args: ["version"], stdout: "null", stderr: "null" }).output();
    return success;
  } catch {
    return false; // there is none
  }
}

/** The folder of a Go module: the schemas of those who read our manifests are published so. */
export async function goModule(path: string, version: string): Promise<string> {
  const text = await go(["mod", "download", "-json", `${path}@${version}`], HELM);
  return (JSON.parse(text) as { Dir: string }).Dir; // as go documents it
}

async function go(args: readonly string[], cwd: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("go", {
    args: [...args],
    cwd,
    env: { CGO_ENABLED: "0" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  if (!success) throw new Error(`Cannot run go ${args[0]}: ${decoder.decode(stderr) || decoder.decode(stdout)}`);
  return decoder.decode(stdout);
}
