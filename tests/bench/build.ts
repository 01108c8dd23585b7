import { fromFileUrl, hashOf, joinPath } from "./paths.ts";

/** The Go programs of the benchmark, built. */
export interface Programs {
  readonly client: string;
  readonly goControlPlane: string;
}

const HERE = fromFileUrl(import.meta.url);
const SOURCES = ["go.mod", "go.sum", "client", "go-control-plane"];

/**
 * Builds the Go programs once per state of their sources, outside the checkout (`$XDG_CACHE_HOME/chancery/bench`).
 * The first build fetches Go modules and takes a minute or two.
 */
export async function buildPrograms(say: (line: string) => void): Promise<Programs> {
  const folder = joinPath(cacheFolder(), await hashOf(HERE, SOURCES));
  const programs = { client: joinPath(folder, "client"), goControlPlane: joinPath(folder, "go-control-plane") };
  if (await isFile(programs.client) && await isFile(programs.goControlPlane)) return programs;
  say(`Building the client and go-control-plane into ${folder} (once; fetches Go modules the first time)`);
  const temporary = `${folder}.${Deno.pid}`;
  await Deno.mkdir(temporary, { recursive: true });
  try {
    await go(["build", "-v", "-o", `${temporary}/`, "./client", "./go-control-plane"], say);
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    await Deno.rename(temporary, folder);
  } finally {
    await Deno.remove(temporary, { recursive: true }).catch(() => {});
  }
  return programs;
}

async function go(args: readonly string[], say: (line: string) => void): Promise<void> {
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("go", { args: [...args], cwd: HERE, stdin: "null", stdout: "null", stderr: "piped" })
      .spawn();
  } catch (error) {
    throw new Error(`Cannot build the comparison: "go" is not on PATH (Go 1.26 or newer: https://go.dev/dl/)`, {
      cause: error,
    });
  }
  let packages = 0;
  let said = Date.now();
  const last: string[] = [];
  for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
    for (const line of text.split("\n").filter((line) => line !== "")) {
      packages++;
      last.push(line);
      if (last.length > 20) last.shift();
    }
    if (Date.now() - said > 5000) {
      said = Date.now();
      say(`  ${packages} modules and packages so far, now ${last.at(-1)}`);
    }
  }
  if (!(await child.status).success) {
    throw new Error(`Cannot build the comparison: go ${args.join(" ")}\n${last.join("\n")}`);
  }
}

function cacheFolder(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") ?? joinPath(Deno.env.get("HOME") ?? "/tmp", ".cache");
  return joinPath(base, "chancery/bench");
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((found) => found.isFile, () => false);
}
