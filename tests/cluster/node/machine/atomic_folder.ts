import type { VolumeFiles } from "../pod/volume_files.ts";

const CURRENT = "..data";
const NEXT = "..data_tmp";

/**
 * Fills a folder as the kubelet does: all files lie in a new folder `..<time>`, the link `..data` is moved to it in one step, and what
 * readers open are links through `..data`. Nothing happens when the content is there already.
 * @returns whether anything changed
 */
export async function fillFolder(folder: string, files: VolumeFiles, group: number | undefined): Promise<boolean> {
  const before = await currentTarget(folder);
  if (before !== undefined && await hasExactly(`${folder}/${before}`, files)) return false;
  const version = `..${new Date().toISOString().replaceAll(/[-:T]/g, "_").slice(0, 19)}.${
    crypto.randomUUID().slice(0, 8)
  }`;
  await Deno.mkdir(`${folder}/${version}`, { mode: 0o755 });
  for (const [path, { data, mode }] of files) {
    const file = `${folder}/${version}/${path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true, mode: 0o755 });
    await Deno.writeFile(file, data, { mode: 0o600 });
    // The process's umask has no say here; a group may read whatever the owner may.
    if (group !== undefined) await Deno.chown(file, null, group);
    await Deno.chmod(file, group === undefined ? mode : mode | (mode & 0o400) >> 3);
  }
  await Deno.symlink(version, `${folder}/${NEXT}`);
  await Deno.rename(`${folder}/${NEXT}`, `${folder}/${CURRENT}`);
  await linkNames(folder, new Set([...files.keys()].map((path) => path.split("/")[0] ?? path)));
  if (before !== undefined) await Deno.remove(`${folder}/${before}`, { recursive: true });
  return true;
}

async function currentTarget(folder: string): Promise<string | undefined> {
  try {
    return await Deno.readLink(`${folder}/${CURRENT}`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** Makes and removes the links that readers see. */
async function linkNames(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const present = new Set<string>();
  // Folders are there for what is mounted within.
  for await (const { name, isSymlink } of Deno.readDir(folder)) {
    if (isSymlink && !name.startsWith("..")) present.add(name);
  }
  for (const name of wanted) if (!present.has(name)) await Deno.symlink(`${CURRENT}/${name}`, `${folder}/${name}`);
  for (const name of present) if (!wanted.has(name)) await Deno.remove(`${folder}/${name}`);
}

async function hasExactly(folder: string, files: VolumeFiles): Promise<boolean> {
  const present = await pathsIn(folder);
  if (present.length !== files.size) return false;
  for (const path of present) {
    const wanted = files.get(path);
    if (!wanted) return false;
    const found = await Deno.readFile(`${folder}/${path}`);
    if (found.length !== wanted.data.length || found.some((byte, index) => byte !== wanted.data[index])) return false;
  }
  return true;
}

async function pathsIn(folder: string): Promise<string[]> {
  const paths: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) paths.push(...(await pathsIn(`${folder}/${name}`)).map((path) => `${name}/${path}`));
    else paths.push(name);
  }
  return paths;
}
