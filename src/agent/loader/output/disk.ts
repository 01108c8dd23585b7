import { errorMessage } from "../../../base/mod.ts";
import { LoaderFailure } from "../failure.ts";
import type { Present } from "../plan.ts";
import { formatRecord, parseRecord, type Record } from "./record.ts";

/** Permissions of what is made: `file` as in `0o644`; what is secret is nobody else's. */
export interface Modes {
  readonly file: number;
}

/** The mode of a file. */
export function fileMode({ file }: Modes, secret: boolean): number {
  return secret ? file & 0o770 : file;
}

/** The mode of a directory: whoever may read its files may look into it. */
function directoryMode({ file }: Modes): number {
  return file | ((file & 0o444) >> 2);
}

/** Makes a directory with exactly this mode, whatever the umask says, and leaves one that is there as it is. */
export async function makeDirectory(path: string, modes: Modes): Promise<void> {
  await trying(`make ${JSON.stringify(path)}`, async () => {
    try {
      await Deno.mkdir(path);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.AlreadyExists) return;
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
      await makeDirectory(path.slice(0, path.lastIndexOf("/")), modes);
      await Deno.mkdir(path);
    }
    await Deno.chmod(path, directoryMode(modes) | 0o700);
  });
}

/** Writes a file whole and onto the disk: what is renamed afterwards is never half there. */
export async function writeWhole(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  await trying(`write ${JSON.stringify(path)}`, async () => {
    using file = await Deno.open(path, { write: true, create: true, truncate: true, mode });
    for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
    await file.syncData();
    await Deno.chmod(path, mode);
  });
}

/** The content of a file, `undefined` when there is none; not asynchronous, as in `directory_source.ts`. */
async function readIfThere(path: string): Promise<Uint8Array | undefined> {
  return await trying(`read ${JSON.stringify(path)}`, () => {
    try {
      return Deno.readFileSync(path);
    } catch (thrown) {
      if (thrown instanceof Deno.errors.NotFound || thrown instanceof Deno.errors.NotADirectory) return undefined;
      throw thrown;
    }
  });
}

/** Removes a file or a folder with all that is in it, if it is there. */
export async function removeIfThere(path: string): Promise<void> {
  await trying(`remove ${JSON.stringify(path)}`, async () => {
    try {
      await Deno.remove(path, { recursive: true });
    } catch (thrown) {
      if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
    }
  });
}

const RECORD = ".chancery-loader.json";

/** The record of an output. */
async function readRecord(root: string): Promise<Record> {
  const bytes = await readIfThere(`${root}/${RECORD}`);
  return bytes ? parseRecord(new TextDecoder().decode(bytes)) : new Map();
}

/** Replaces the record of an output, if it says anything else. */
export async function writeRecord(root: string, record: Record): Promise<void> {
  const text = formatRecord(record);
  const before = await readIfThere(`${root}/${RECORD}`);
  if (before && new TextDecoder().decode(before) === text) return;
  await writeWhole(`${root}/${RECORD}.new`, new TextEncoder().encode(text), 0o644);
  await trying("keep the record", () => Deno.rename(`${root}/${RECORD}.new`, `${root}/${RECORD}`));
}

/** Says of whatever goes wrong what was being done. */
export async function trying<T>(what: string, act: () => T | Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (cause) {
    if (cause instanceof LoaderFailure) throw cause;
    throw new LoaderFailure("unwritable", `Cannot ${what}: ${errorMessage(cause)}`, { cause });
  }
}

/** What lies in place: the files that are recorded as ours, and those at `paths`. */
export async function readPresent(root: string, paths: Iterable<string>): Promise<Present> {
  const owned = await readRecord(root);
  const files = new Map<string, Uint8Array>();
  for (const path of new Set([...owned.keys(), ...paths])) {
    const bytes = await readIfThere(`${root}/current/${path}`);
    if (bytes) files.set(path, bytes);
  }
  return { files, owned };
}
