import { type Clock, errorMessage, wait } from "../../base/mod.ts";
import { LoaderFailure } from "./failure.ts";
import type { SourceFile, SourceState } from "./source_state.ts";

/** What following a directory needs. */
export interface DirectoryOptions {
  readonly watch: boolean;
  readonly syncIntervalMs: number;
  /** Whether a directory without files is meant; else it counts as a mount that failed. */
  readonly allowEmpty: boolean;
  readonly clock: Clock;
  tell(state: SourceState): void;
  failed(failure: LoaderFailure): void;
}

/** How long files have to rest before they count as written. */
const SETTLE_MS = 50;
/** How often a directory that does not rest is looked at before the next round. */
const TRIES = 40;

/** Reads a directory, with at most one level of folders, and follows it until the signal comes. */
export async function followDirectory(path: string, options: DirectoryOptions, signal: AbortSignal): Promise<void> {
  const { clock, syncIntervalMs } = options;
  while (!signal.aborted) {
    using changes = options.watch ? watchFolder(path) : undefined;
    try {
      options.tell(await readSettled(path, options, signal));
    } catch (thrown) {
      if (signal.aborted) return;
      options.failed(asFailure(path, thrown));
    }
    const nap = new AbortController();
    const over = wait(syncIntervalMs, { clock, signals: [signal, nap.signal] });
    await Promise.race([over, changes?.next ?? over]);
    nap.abort();
  }
}

/** The directory once two looks in a row see the same. */
async function readSettled(
  path: string,
  { allowEmpty, clock }: Pick<DirectoryOptions, "allowEmpty" | "clock">,
  signal: AbortSignal,
): Promise<SourceState> {
  let before = readDirectory(path);
  for (let tries = 0; tries < TRIES; tries++) {
    await wait(SETTLE_MS, { clock, signals: [signal] });
    signal.throwIfAborted();
    const now = readDirectory(path);
    if (now.stamp === before.stamp) {
      if (now.files.size > 0 || allowEmpty) return { kind: "present", objects: [now.files] };
      throw new Error("it has no files; --allow-empty if that is meant");
    }
    before = now;
  }
  throw new Error("it does not stop changing");
}

/** Not asynchronous: that takes threads, which are a megabyte in every pod, for files that are small and near. */
function readDirectory(root: string): { readonly files: Map<string, SourceFile>; readonly stamp: string } {
  const files = new Map<string, SourceFile>();
  const stamps: string[] = [];
  const read = (folder: string) => {
    for (const { name } of Deno.readDirSync(folder === "" ? root : `${root}/${folder}`)) {
      if (name.startsWith(".")) continue; // what a mounted ConfigMap keeps for itself, and what editors leave
      const path = folder === "" ? name : `${folder}/${name}`;
      const stat = Deno.statSync(`${root}/${path}`); // a key of a mounted ConfigMap is a link
      if (stat.isDirectory && folder === "") read(path);
      if (!stat.isFile) continue;
      stamps.push(`${path} ${stat.size} ${stat.mtime?.getTime()} ${stat.ino}`);
      const secret = ((stat.mode ?? 0) & 0o007) === 0;
      files.set(path, { bytes: Deno.readFileSync(`${root}/${path}`), secret, owner: `directory ${root}` });
    }
  };
  read("");
  return { files, stamp: stamps.sort().join("\n") };
}

function asFailure(path: string, thrown: unknown): LoaderFailure {
  const kind = thrown instanceof Deno.errors.NotFound
    ? "missing"
    : thrown instanceof Deno.errors.PermissionDenied
    ? "forbidden"
    : "unreachable";
  return new LoaderFailure(kind, `Cannot read directory ${JSON.stringify(path)}: ${errorMessage(thrown)}`, {
    cause: thrown,
  });
}

/** Tells the next change of a directory; nothing, for ever, when it cannot be watched: then it is looked at from time to time. */
function watchFolder(path: string): Disposable & { readonly next: Promise<void> } {
  try {
    const watcher = Deno.watchFs(path);
    const next = (async () => {
      for await (const { kind } of watcher) if (kind !== "access") return;
      await new Promise<void>(() => {}); // closed
    })();
    return { next, [Symbol.dispose]: () => watcher.close() };
  } catch {
    return { next: new Promise(() => {}), [Symbol.dispose]: () => {} };
  }
}
