import { errorMessage } from "../../../base/mod.ts";
import { type DirectoryDisk, isManifestName, isNameThatMatters, type Scan, type ScannedFile } from "../scan.ts";

const MAX_FILES = 20_000;
const MAX_DEPTH = 16;
const MAX_BYTES = 32 * 1024 * 1024;

/** How often it is asked whether the directory is still the same one: no event tells of mounts and of switched links. */
const IDENTITY_MS = 1_000;

/** The manifests below a directory of the file system. */
export function openDisk(directory: string): DirectoryDisk {
  let watcher: Deno.FsWatcher | undefined;
  let watched: string | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  const unwatch = () => {
    watcher?.close();
    watcher = undefined;
  };
  return {
    read: () => readDirectory(directory),
    watch(onChange) {
      timer ??= setInterval(() => identityOf(directory) !== watched && onChange(), IDENTITY_MS);
      const identity = identityOf(directory);
      if (watcher && identity === watched) return;
      unwatch(); // the directory went away, or is another one now
      watched = identity;
      if (identity === undefined) return;
      try {
        // By its real name: the watch of a path that was moved away would be taken for that of a link in its place.
        const real = Deno.realPathSync(directory);
        const made = watcher = Deno.watchFs(real);
        const onLost = () => {
          if (watcher === made) unwatch();
          onChange();
        };
        void follow(made, { real, onChange, onLost });
      } catch {
        unwatch(); // no inotify left, say: the regular look at the directory still finds every change
      }
    },
    close() {
      clearInterval(timer);
      unwatch();
    },
  };
}

/**
 * `access` is no change: it tells of a file closed after a `modify` that was told already, elsewhere of one that was read.
 * A watch of a directory that was moved tells nothing any more, even when the directory is back.
 */
async function follow(
  watcher: Deno.FsWatcher,
  { real, onChange, onLost }: { real: string; onChange: () => void; onLost: () => void },
): Promise<void> {
  try {
    for await (const { kind, paths } of watcher) {
      if ((kind === "rename" || kind === "remove") && paths.includes(real)) onLost();
      else if (kind !== "access" && paths.some((path) => isNameThatMatters(path.slice(path.lastIndexOf("/") + 1)))) {
        onChange();
      }
    }
  } catch {
    onLost(); // the next look renews the watch
  }
}

function identityOf(directory: string): string | undefined {
  try {
    const { dev, ino } = Deno.statSync(directory);
    return `${dev}:${ino}`;
  } catch {
    return undefined; // told by the next read
  }
}

async function readDirectory(directory: string): Promise<Scan> {
  const walk = new Walk(directory);
  await walk.folder("", 0);
  const byName = (a: { name: string }, b: { name: string }) => a.name < b.name ? -1 : 1;
  return { files: walk.files.sort(byName), unreadable: walk.unreadable.sort(byName) };
}

class Walk {
  readonly files: ScannedFile[] = [];
  readonly unreadable: { name: string; problem: string }[] = [];
  readonly #root: string;
  /** Folders on the way down, by their real path: a link to one of them would never end. */
  readonly #above = new Set<string>();

  constructor(root: string) {
    this.#root = root;
  }

  async folder(name: string, depth: number): Promise<void> {
    const path = name === "" ? this.#root : `${this.#root}/${name}`;
    let entered: string | undefined;
    try {
      const real = await Deno.realPath(path);
      if (this.#above.has(real)) return;
      if (depth > MAX_DEPTH) throw new Error(`folders deeper than ${MAX_DEPTH} are not read`);
      this.#above.add(entered = real);
      for await (const { name: entry } of Deno.readDir(path)) {
        if (this.files.length >= MAX_FILES) throw new Error(`more than ${MAX_FILES} manifests are not read`);
        if (!entry.startsWith(".")) await this.#entry(name === "" ? entry : `${name}/${entry}`, depth);
      }
    } catch (thrown) {
      this.unreadable.push({ name, problem: problemOf(thrown) });
    } finally {
      if (entered !== undefined) this.#above.delete(entered);
    }
  }

  async #entry(name: string, depth: number): Promise<void> {
    const path = `${this.#root}/${name}`;
    const isManifest = isManifestName(name.slice(name.lastIndexOf("/") + 1));
    try {
      const info = await Deno.stat(path); // of what a link points to
      if (info.isDirectory) return await this.folder(name, depth + 1);
      if (!isManifest) return;
      this.files.push(await readManifest(path, { name, info }));
    } catch (thrown) {
      if (isManifest) this.files.push({ name, text: undefined, problem: problemOf(thrown), stamp: "" });
    }
  }
}

async function readManifest(path: string, { name, info }: { name: string; info: Deno.FileInfo }): Promise<ScannedFile> {
  const stamp = `${info.size}:${info.mtime?.getTime()}:${info.ctime?.getTime()}:${info.ino}`;
  const problem = !info.isFile
    ? "it is no regular file"
    : info.size > MAX_BYTES
    ? `it is larger than ${MAX_BYTES} bytes`
    : undefined;
  if (problem !== undefined) return { name, text: undefined, problem, stamp };
  const bytes = await Deno.readFile(path);
  try {
    return { name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), stamp };
  } catch {
    return { name, text: undefined, problem: "it is no UTF-8 text", stamp };
  }
}

function problemOf(thrown: unknown): string {
  if (thrown instanceof Deno.errors.NotFound) return "it does not exist";
  if (thrown instanceof Deno.errors.PermissionDenied) return "permission denied";
  return errorMessage(thrown);
}
