import type { Image } from "./pod/image.ts";

const DENO = "/usr/local/bin/deno";
const ROOT = new URL("../../../", import.meta.url).pathname.replace(/\/$/, "");

/**
 * An image whose program is a TypeScript file of this repository, or a bundle, run by this Deno with all permissions.
 * @param path absolute path on this machine
 */
export function programImage(path: string, options: Omit<Image, "entrypoint"> = {}): Image {
  const cache = denoCache();
  return {
    ...options,
    entrypoint: [DENO, "run", "--quiet", "--no-check", "--allow-all", path],
    env: { DENO_DIR: "/deno-dir", DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...options.env },
    // By their own paths, so that a trace leads to the file.
    files: { [DENO]: Deno.execPath(), "/deno-dir": cache, [ROOT]: ROOT, ...options.files },
  };
}

/** An image in which a program of this machine's PATH is at `/usr/local/bin`. @throws {Error} when there is none of this name */
export async function machineProgram(name: string, options: Image = {}): Promise<Image> {
  for (const folder of (Deno.env.get("PATH") ?? "").split(":")) {
    const found = await Deno.realPath(`${folder}/${name}`).catch(() => undefined);
    if (found !== undefined) return { ...options, files: { [`/usr/local/bin/${name}`]: found, ...options.files } };
  }
  throw new Error(`Cannot find program ${JSON.stringify(name)} on PATH`);
}

function denoCache(): string {
  const home = Deno.env.get("HOME") ?? "/root";
  return Deno.env.get("DENO_DIR") ?? `${Deno.env.get("XDG_CACHE_HOME") ?? `${home}/.cache`}/deno`;
}
