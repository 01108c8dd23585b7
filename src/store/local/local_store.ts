import type { Clock } from "../../base/mod.ts";
import { CoreStore, type CoreStoreOptions } from "../core/core_store.ts";
import type { EmbeddedStore } from "../embedded_store.ts";
import { copyDatabase } from "./backup.ts";
import { databasePath } from "./database.ts";
import { lockDataDirectory } from "./lock.ts";
import { SqliteBacking } from "./sqlite_backing.ts";
import { storageError } from "./storage_error.ts";

/** Options of {@linkcode openLocalStore}. */
export interface LocalStoreOptions {
  /** Data directory, made when it is missing. */
  readonly directory: string;
  readonly clock: Clock;
}

/** A store in a data directory. */
export interface LocalStore extends EmbeddedStore {
  /** Writes a consistent copy to a new file, mode 0600, while the store is in use. */
  backup(target: string): Promise<void>;
}

/**
 * Opens the store of a data directory for this process alone. Throws `unavailable`, saying what to do, when another process
 * has it, or the database is damaged, foreign, newer than this program or not writable.
 */
export function openLocalStore({ directory, clock }: LocalStoreOptions): LocalStore {
  try {
    Deno.mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (thrown) {
    throw storageError("make data directory", directory, thrown);
  }
  const lock = lockDataDirectory(directory);
  try {
    const backing = new SqliteBacking(databasePath(directory));
    return new SqliteStore({ clock, backing, lock, newUid: () => crypto.randomUUID() });
  } catch (thrown) {
    lock[Symbol.dispose]();
    throw thrown;
  }
}

interface SqliteStoreOptions extends CoreStoreOptions {
  readonly backing: SqliteBacking;
  readonly lock: Disposable;
}

class SqliteStore extends CoreStore implements LocalStore {
  readonly #backing: SqliteBacking;
  readonly #lock: Disposable;

  constructor(options: SqliteStoreOptions) {
    super(options);
    this.#backing = options.backing;
    this.#lock = options.lock;
  }

  // deno-lint-ignore require-await
  async backup(target: string): Promise<void> {
    copyDatabase(this.#backing.database, target);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#lock[Symbol.dispose](); // may be called twice
  }
}
