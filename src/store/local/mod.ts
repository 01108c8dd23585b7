/**
 * The store of `chancery standalone`: everything in memory, every write in SQLite before anybody sees it.
 * @module
 */
export { backupDataDirectory } from "./backup.ts";
export { type LocalStore, type LocalStoreOptions, openLocalStore } from "./local_store.ts";
