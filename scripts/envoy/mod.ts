/**
 * A real Envoy: one that the user names, the one on PATH, or one fetched into the user's cache folder. Run as a program, it
 * prints the path.
 * @module
 */
import { outputOf } from "./command.ts";
import { ENVOY_VERSION, fetchEnvoy } from "./fetch.ts";

export { cacheFolder, ENVOY_VERSION } from "./fetch.ts";

/**
 * The path of an Envoy that runs. `CHANCERY_ENVOY` is taken whatever its version; the one on PATH only when it is of the minor
 * version that this project is made for.
 * @throws {Error} when CHANCERY_ENVOY does not run, or nothing can be fetched
 */
export async function findEnvoy(log: (line: string) => void): Promise<string> {
  const named = Deno.env.get("CHANCERY_ENVOY");
  if (named) {
    const version = await versionOf(named);
    if (!version) throw new Error(`Cannot run "${named} --version": CHANCERY_ENVOY has to name an Envoy`);
    if (!isWanted(version)) log(`CHANCERY_ENVOY is Envoy ${version}; this project is made for ${ENVOY_VERSION}`);
    return named;
  }
  const found = await versionOf("envoy");
  if (found && isWanted(found)) return "envoy";
  if (found) log(`The envoy on PATH is ${found}; this project is made for ${ENVOY_VERSION}`);
  const fetched = await fetchEnvoy(log);
  const version = await versionOf(fetched);
  if (version !== ENVOY_VERSION) {
    throw new Error(
      `Cannot run "${fetched} --version": it says ${version ?? "nothing"}; remove the file to fetch it again`,
    );
  }
  return fetched;
}

/** `1.40.0`, or `undefined` when there is no such command or it is no Envoy. */
async function versionOf(command: string): Promise<string | undefined> {
  const output = await outputOf(command, ["--version"]);
  return /version: [0-9a-f]+\/(\d+\.\d+\.\d+)/.exec(new TextDecoder().decode(output?.stdout))?.[1];
}

function isWanted(version: string): boolean {
  return version.split(".", 2).join(".") === ENVOY_VERSION.split(".", 2).join(".");
}

if (import.meta.main) {
  try {
    console.log(await findEnvoy((line) => console.error(line)));
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    Deno.exit(1);
  }
}
