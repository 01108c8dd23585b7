import type { Image } from "./pod/image.ts";

const DENO = "/usr/local/bin/deno";
const CACHE = "/var/cache/deno";
const ROOT = new URL("../../../", import.meta.url).pathname;

/**
 * An image whose program is a TypeScript file of this repository, or a bundle elsewhere, run by this Deno with all permissions. Any
 * user may run it.
 * @param path absolute path on this machine
 */
export function programImage(path: string, options: Omit<Image, "entrypoint"> = {}): Image {
  // By a path that every user can follow, which the one on this machine need not be.
  const [at, files] = path.startsWith(ROOT)
    ? [`/app/${path.slice(ROOT.length)}`, { "/app": ROOT.slice(0, -1) }]
    : [`/app/${path.slice(path.lastIndexOf("/") + 1)}`, { [`/app/${path.slice(path.lastIndexOf("/") + 1)}`]: path }];
  return {
    ...options,
    entrypoint: [DENO, "run", "--quiet", "--no-check", "--allow-all", at],
    env: { DENO_DIR: CACHE, DENO_NO_UPDATE_CHECK: "1", NO_COLOR: "1", ...options.env },
    files: { [DENO]: Deno.execPath(), [CACHE]: denoCache(), ...files, ...options.files },
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
