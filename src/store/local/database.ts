import { DatabaseSync } from "node:sqlite";
import { ChanceryError } from "../../base/mod.ts";
import { APPLICATION_ID, MIGRATIONS, SCHEMA_VERSION } from "./schema.ts";
import { DAMAGED_ADVICE, storageError } from "./storage_error.ts";

/** The database file of a data directory. */
export function databasePath(directory: string): string {
  return `${directory}/chancery.db`;
}

/**
 * Opens the database file, creating it readable for its owner alone, checks it, and brings its tables up to date.
 * Throws `unavailable` with what to do when it is damaged, foreign, read-only or written by a newer version.
 */
export function openDatabase(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    // SQLite gives its -wal and -shm files the mode of the main file, which must be right before they exist
    Deno.openSync(path, { write: true, create: true, mode: 0o600 }).close();
    for (const suffix of ["", "-wal", "-shm"]) restrict(path + suffix);
    database = new DatabaseSync(path);
    configure(database);
    checkOwner(database, path);
    checkIntegrity(database, path);
    migrate(database, path);
    return database;
  } catch (thrown) {
    database?.close();
    throw storageError("open", path, thrown);
  }
}

/**
 * Runs `steps` as one transaction, durable when this returns, undone when it throws.
 */
export function inTransaction(database: DatabaseSync, steps: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    steps();
    database.exec("COMMIT");
  } catch (thrown) {
    // SQLite has rolled back by itself after some errors (disk full, I/O)
    if (database.isTransaction) database.exec("ROLLBACK");
    throw thrown;
  }
}

function restrict(path: string): void {
  try {
    const { mode } = Deno.statSync(path);
    if (mode !== null && (mode & 0o077) !== 0) Deno.chmodSync(path, 0o600);
  } catch (thrown) {
    if (!(thrown instanceof Deno.errors.NotFound)) throw thrown;
  }
}

/**
 * WAL with `synchronous=NORMAL` loses nothing to `kill -9`. A power cut may take the last commits, never consistency: what is
 * wanted is read from the directory again, and what Envoys refuse is rolled back again. FULL would cost an fsync per commit,
 * several for each EnvoyConfig at a first start. `secure_delete` overwrites what is removed, since it may be a Secret.
 */
function configure(database: DatabaseSync): void {
  database.exec(
    "PRAGMA busy_timeout = 2000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;" +
      "PRAGMA journal_size_limit = 4194304;",
  );
}

function checkOwner(database: DatabaseSync, path: string): void {
  const id = pragma(database, "application_id");
  const tables = database.prepare("SELECT count(*) AS n FROM sqlite_schema").get()?.["n"];
  if (id === APPLICATION_ID || (id === 0 && tables === 0)) return;
  throw new ChanceryError("unavailable", `Cannot open "${path}": it belongs to another program; move it away`, {
    retryable: false,
  });
}

function checkIntegrity(database: DatabaseSync, path: string): void {
  if (pragma(database, "integrity_check(1)", "integrity_check") === "ok") return;
  throw new ChanceryError("unavailable", `Cannot open "${path}": ${DAMAGED_ADVICE}`, { retryable: false });
}

function migrate(database: DatabaseSync, path: string): void {
  const version = schemaVersion(database);
  if (version > SCHEMA_VERSION) {
    const message =
      `Cannot open "${path}": a newer chancery wrote it (schema ${version}, this one knows ${SCHEMA_VERSION}); ` +
      "use that version, or restore an older backup";
    throw new ChanceryError("unavailable", message, { retryable: false });
  }
  if (version === SCHEMA_VERSION) return;
  inTransaction(database, () => {
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    database.exec("CREATE TABLE IF NOT EXISTS schema (version INTEGER PRIMARY KEY) STRICT");
    for (let next = version; next < SCHEMA_VERSION; next++) {
      database.exec(MIGRATIONS[next]!);
      database.prepare("INSERT INTO schema (version) VALUES (?)").run(next + 1);
    }
  });
}

function schemaVersion(database: DatabaseSync): number {
  const known = database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'schema'").get()?.["n"];
  if (known !== 1) return 0;
  return Number(database.prepare("SELECT coalesce(max(version), 0) AS v FROM schema").get()?.["v"]);
}

function pragma(database: DatabaseSync, command: string, column = command): unknown {
  return database.prepare(`PRAGMA ${command}`).get()?.[column];
}
