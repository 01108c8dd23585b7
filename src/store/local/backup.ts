import { DatabaseSync } from "node:sqlite";
import { ChanceryError } from "../../base/mod.ts";
import { databasePath } from "./database.ts";
import { storageError } from "./storage_error.ts";

/**
 * Copies the database of a data directory, which a running chancery may be using, to a new file readable for its owner
 * alone. Throws `invalid-input` when there is nothing to copy or the target exists.
 */
export function backupDataDirectory(directory: string, target: string): void {
  const path = databasePath(directory);
  if (!exists(path)) {
    throw new ChanceryError("invalid-input", `Cannot back up "${directory}": there is no database in it`);
  }
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(path, { readOnly: true, timeout: 2000 });
  } catch (thrown) {
    throw storageError("open", path, thrown);
  }
  try {
    copyDatabase(database, target);
  } finally {
    database.close();
  }
}

/** Writes a consistent copy of an open database: first beside the target, so that a half copy never has its name. */
export function copyDatabase(database: DatabaseSync, target: string): void {
  if (exists(target)) {
    throw new ChanceryError("invalid-input", `Cannot write backup "${target}": it exists already; choose another name`);
  }
  const partial = `${target}.partial-${Deno.pid}`;
  try {
    // VACUUM INTO takes an empty file, and one made by us has the right mode from the start
    Deno.openSync(partial, { write: true, createNew: true, mode: 0o600 }).close();
    database.prepare("VACUUM INTO ?").run(partial);
    using file = Deno.openSync(partial, { read: true, write: true });
    file.syncDataSync();
    Deno.renameSync(partial, target);
  } catch (thrown) {
    if (exists(partial)) Deno.removeSync(partial);
    throw storageError("write backup", target, thrown);
  }
}

function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof Deno.errors.NotFound) return false;
    throw storageError("open", path, thrown);
  }
}
