import { createConnection } from "node:net";
import { ChanceryError, errorMessage } from "../../base/mod.ts";

/** A Unix socket on its way to its path. */
export interface UnixSocket {
  /** Listen here; nobody looks for it. */
  readonly temporaryPath: string;
  /** Sets mode 0600 and then moves it to its path, so that there is no moment in which others may connect. */
  publish(): Promise<void>;
  /** Removes it, unless another instance has put its own there. */
  remove(): void;
}

/** Linux takes 107 bytes for a socket's path, and the temporary name is longer by this. */
const SUFFIX = ".new";
const MAX_PATH = 107;

/**
 * Makes way for a socket at `path`: one left behind by a process that is gone is replaced, anything else is not touched.
 * @throws {ChanceryError} `conflict` when a process listens there, `invalid-input` when the path cannot be used
 */
export async function prepareUnixSocket(path: string): Promise<UnixSocket> {
  const start = `Cannot listen on "unix:${path}"`;
  if (new TextEncoder().encode(path + SUFFIX).length > MAX_PATH) {
    throw new ChanceryError("invalid-input", `${start}: the path must be at most ${MAX_PATH - SUFFIX.length} bytes`);
  }
  const there = await Deno.lstat(path).catch(() => undefined);
  if (there && !there.isSocket) throw new ChanceryError("invalid-input", `${start}: the file there is no socket`);
  if (there && await answers(path)) {
    throw new ChanceryError("conflict", `${start}: another program listens there`, { retryable: false });
  }
  const temporaryPath = path + SUFFIX;
  await Deno.remove(temporaryPath).catch(() => {});
  let published: number | null = null;
  return {
    temporaryPath,
    async publish() {
      try {
        await Deno.chmod(temporaryPath, 0o600);
        await Deno.rename(temporaryPath, path);
        published = (await Deno.lstat(path)).ino;
      } catch (error) {
        throw new ChanceryError("invalid-input", `${start}: ${errorMessage(error)}`, { cause: error });
      }
    },
    remove() {
      try {
        if (Deno.lstatSync(path).ino === published) Deno.removeSync(path);
      } catch {
        // gone already
      }
    },
  };
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
}
