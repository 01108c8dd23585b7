/**
 * Copies the store of a data directory, whether or not a process is using it.
 * @module
 */
import { join, resolve } from "node:path";
import { backupDataDirectory } from "../../store/local/mod.ts";
import { askSocket, SOCKET_NAME } from "../admin/client/mod.ts";

/** Options of {@linkcode backup}. */
export interface BackupOptions {
  /** Data directory. */
  readonly data: string;
  /** File to write, which does not exist yet. */
  readonly file: string;
}

/** Who made the copy: the process that uses the directory, or this one. */
export type BackupMaker = "asked" | "offline";

/** Makes a consistent copy. A running process makes it itself; without one the files are read directly. */
export async function backup({ data, file }: BackupOptions): Promise<BackupMaker> {
  const path = resolve(file);
  const socket = join(resolve(data), SOCKET_NAME);
  if (await askSocket(socket, "/backup", { body: { path } })) return "asked";
  backupDataDirectory(data, path);
  return "offline";
}
