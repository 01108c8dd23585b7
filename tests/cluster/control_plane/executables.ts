/**
 * The executables of a control plane: those in `KUBEBUILDER_ASSETS`, or one built from Kubernetes' and etcd's own Go modules and
 * kept in the user's cache folder. Run as a program, it builds them and prints their folder.
 * @module
 */
import { cacheFolder } from "../../../scripts/envoy/mod.ts";
import { hashOf } from "../../bench/paths.ts";
import { type Component, COMPONENTS } from "./component.ts";

/** Where the executables are. */
export interface Executables {
  readonly folder: string;
  /** `etcd` and `kube-apiserver` always; archives for `KUBEBUILDER_ASSETS` have no others. */
  readonly components: readonly Component[];
}

const SOURCE = new URL("go", import.meta.url).pathname;
const SOURCES = ["go.mod", "go.sum", "main.go"];
/** The least that a folder must hold. */
const REQUIRED = ["etcd", "kube-apiserver", "kubectl"];
const PROGRESS_MS = 5000;

/** Why no control plane can be had on this machine, or `undefined` when it can. Quick: builds nothing. */
export async function whyUnavailable(): Promise<string | undefined> {
  const named = Deno.env.get("KUBEBUILDER_ASSETS");
  if (named) {
    const missing = await missingIn(named);
    return missing.length === 0
      ? undefined
      : `KUBEBUILDER_ASSETS names "${named}", where ${missing.join(", ")} is missing`;
  }
  if (await isFile(`${await builtFolder()}/kubectl`)) return undefined;
  try {
    await new Deno.Command("go", { args: ["version"], stdin: "null", stdout: "null", stderr: "null" }).output();
    return undefined;
  } catch {
    return `There is neither "go" on PATH (Go 1.26 or newer: https://go.dev/dl/) nor a folder of executables in KUBEBUILDER_ASSETS`;
  }
}

/**
 * Finds the executables, or builds them: once per state of `go/`, which fetches 600 MB of Go modules and takes some minutes the
 * first time. Safe to be called by several processes at once: one builds, the others wait.
 * @throws {Error} when there are none and none can be built
 */
export async function findExecutables(log: (line: string) => void): Promise<Executables> {
  const problem = await whyUnavailable();
  if (problem !== undefined) throw new Error(`Cannot start a control plane: ${problem}`);
  const folder = Deno.env.get("KUBEBUILDER_ASSETS") || await build(log);
  const there = await Promise.all(COMPONENTS.map((name) => isFile(`${folder}/${name}`)));
  return { folder, components: COMPONENTS.filter((_, at) => there[at]) };
}

async function build(log: (line: string) => void): Promise<string> {
  const folder = await builtFolder();
  if (await isFile(`${folder}/kubectl`)) return folder;
  await Deno.mkdir(folder, { recursive: true });
  using lock = await Deno.open(`${folder}/lock`, { create: true, write: true });
  if (!await lock.tryLock(true)) {
    log("Waiting for another process that builds the control plane");
    await lock.lock(true);
  }
  if (await isFile(`${folder}/kubectl`)) return folder;
  log(`Building the control plane into ${folder} (once; fetches Go modules the first time, which takes some minutes)`);
  const began = Date.now();
  const version = await versionOfKubernetes();
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version)!;
  const about = "k8s.io/component-base/version";
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor };
  const flags = Object.entries(stamps).map(([name, value]) => `-X ${about}.${name}=${value}`);
  const output = `${folder}/control-plane.new`;
  // One executable that carries no debugging tables, and no tracing of gRPC, which would keep the linker from leaving out what is unused.
  await go([
    "build",
    "-v",
    "-buildvcs=false",
    "-tags",
    "grpcnotrace",
    "-ldflags",
    `-s -w ${flags.join(" ")}`,
    "-o",
    output,
    ".",
  ], log);
  await Deno.rename(output, `${folder}/control-plane`);
  // kubectl last: it says that the folder is complete.
  for (const name of [...COMPONENTS, "kubectl"]) {
    await Deno.remove(`${folder}/${name}`).catch(() => {});
    await Deno.symlink("control-plane", `${folder}/${name}`);
  }
  log(`Built the control plane of Kubernetes ${version} in ${Math.round((Date.now() - began) / 1000)} s`);
  return folder;
}

async function builtFolder(): Promise<string> {
  return `${cacheFolder()}/control-plane/${await hashOf(SOURCE, SOURCES)}`;
}

async function versionOfKubernetes(): Promise<string> {
  const text = await Deno.readTextFile(`${SOURCE}/go.mod`);
  return /^\s*k8s\.io\/kubernetes (v\S+)$/m.exec(text)![1]!;
}

/** Runs go, and says every few seconds how far it is: it names each module that it fetches and each package that it compiles. */
async function go(args: readonly string[], log: (line: string) => void): Promise<void> {
  const child = new Deno.Command("go", {
    args: [...args],
    cwd: SOURCE,
    env: { CGO_ENABLED: "0" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const last: string[] = [];
  let done = 0;
  const progress = setInterval(() => {
    log(`  ${done} modules and packages so far, now ${last.at(-1) ?? "reading go.mod"}`);
  }, PROGRESS_MS);
  try {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      const lines = text.split("\n").filter((line) => line !== "");
      done += lines.length;
      last.push(...lines);
      last.splice(0, last.length - 20);
    }
    const { success } = await child.status;
    if (!success) throw new Error(`Cannot build the control plane: go ${args[0]} said\n${last.join("\n")}`);
  } finally {
    clearInterval(progress);
  }
}

async function missingIn(folder: string): Promise<string[]> {
  const there = await Promise.all(REQUIRED.map((name) => isFile(`${folder}/${name}`)));
  return REQUIRED.filter((_, at) => !there[at]);
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((found) => found.isFile, () => false);
}

if (import.meta.main) {
  try {
    console.log((await findExecutables((line) => console.error(line))).folder);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
