import { ChanceryError } from "../../base/mod.ts";
import { storageError } from "./storage_error.ts";

/**
 * Takes the data directory for this process alone. The lock is the operating system's (flock), so it vanishes with the
 * process however that ends. Throws `unavailable` naming the directory and the process that has it.
 */
export function lockDataDirectory(directory: string): Disposable {
  const path = `${directory}/chancery.lock`;
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
  } catch (thrown) {
    throw storageError("lock", path, thrown);
  }
  try {
    if (!file.tryLockSync(true)) {
      const owner = readOwner(path);
      const who = owner === undefined ? "another process" : `process ${owner}`;
      const message =
        `Cannot use data directory "${directory}": ${who} is using it; end that one or choose another directory`;
      throw new ChanceryError("unavailable", message, { retryable: false });
    }
    file.truncateSync(0);
    file.writeSync(new TextEncoder().encode(`${Deno.pid}\n`));
  } catch (thrown) {
    file.close();
    throw storageError("lock", path, thrown);
  }
  // the file stays: removing it would let two processes lock two files of one name
  let held = true;
  return {
    [Symbol.dispose]() {
      if (held) file.close();
      held = false;
    },
  };
}

function readOwner(path: string): number | undefined {
  const pid = Number.parseInt(Deno.readTextFileSync(path), 10);
  return Number.isInteger(pid) ? pid : undefined;
}
