import type { DatabaseSync } from "node:sqlite";
import { ChanceryError } from "../../base/mod.ts";
import type { Backing, Commit } from "../core/core_store.ts";
import { freezeJson, isRecord } from "../core/json.ts";
import type { RecordedEvent } from "../embedded_store.ts";
import type { StoredObject } from "../store.ts";
import { inTransaction, openDatabase } from "./database.ts";
import { DAMAGED_ADVICE, storageError } from "./storage_error.ts";

/** What a store keeps, in the tables of `schema.ts`. */
export class SqliteBacking implements Backing {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;

  constructor(path: string) {
    this.#path = path;
    this.#database = openDatabase(path);
    this.#statements = prepare(this.#database);
  }

  get database(): DatabaseSync {
    return this.#database;
  }

  load(): ReturnType<Backing["load"]> {
    return this.#guard("read", () => {
      const rows = (table: string, order: string) =>
        this.#database.prepare(`SELECT * FROM ${table} ORDER BY ${order}`).all();
      const objects = rows("objects", "kind, namespace, name").map((row) =>
        this.#parse(
          row["body"],
          (v): v is StoredObject => isRecord(v) && isRecord(v["metadata"]) && v["kind"] === row["kind"],
        )
      );
      const events = rows("events", "ordinal").map((row): [string, RecordedEvent] => [
        String(row["id"]),
        this.#parse(row["body"], (v): v is RecordedEvent => isRecord(v) && isRecord(v["about"])),
      ]);
      const counter = this.#database.prepare("SELECT value FROM counters WHERE name = 'resourceVersion'").get();
      return { objects, events, resourceVersion: Number(counter?.["value"] ?? 0) };
    });
  }

  commit({ objects, kept, events, resourceVersion }: Commit): void {
    this.#guard("write", () =>
      inTransaction(this.#database, () => {
        const { putObject, dropObject, putKept, dropKept, putEvent, dropEvent, putCounter } = this.#statements;
        for (const { key: { kind, namespace, name }, object } of objects) {
          if (object) putObject.run(kind, namespace, name, JSON.stringify(object));
          else dropObject.run(kind, namespace, name);
        }
        for (const [name, data] of kept) {
          if (data) putKept.run(name, data);
          else dropKept.run(name);
        }
        for (const [id, event] of events) {
          dropEvent.run(id); // and in again at the end: the table is in the order of the last occurrence
          if (event) putEvent.run(id, JSON.stringify(event));
        }
        putCounter.run(resourceVersion);
      }));
  }

  kept(name: string): Uint8Array | undefined {
    return this.#guard("read", () => {
      const data = this.#statements.getKept.get(name)?.["data"];
      return data instanceof Uint8Array ? data : undefined;
    });
  }

  keptNames(prefix: string): string[] {
    const rows = this.#guard("read", () => this.#statements.listKept.all(prefix.length, prefix));
    return rows.map((row) => String(row["name"]));
  }

  close(): void {
    this.#database.close();
  }

  #parse<T>(body: unknown, check: (value: unknown) => value is T): T {
    let value: unknown;
    try {
      value = JSON.parse(String(body));
    } catch {
      value = undefined; // told below, without the parser's words: they quote the content
    }
    if (check(value)) return freezeJson(value);
    throw new ChanceryError("unavailable", `Cannot read "${this.#path}": ${DAMAGED_ADVICE}`, { retryable: false });
  }

  #guard<T>(doing: string, run: () => T): T {
    try {
      return run();
    } catch (thrown) {
      throw storageError(doing, this.#path, thrown);
    }
  }
}

type Statements = ReturnType<typeof prepare>;

function prepare(database: DatabaseSync) {
  return {
    putObject: database.prepare(
      "INSERT INTO objects (kind, namespace, name, body) VALUES (?, ?, ?, ?) " +
        "ON CONFLICT (kind, namespace, name) DO UPDATE SET body = excluded.body",
    ),
    dropObject: database.prepare("DELETE FROM objects WHERE kind = ? AND namespace = ? AND name = ?"),
    putKept: database.prepare(
      "INSERT INTO kept (name, data) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET data = excluded.data",
    ),
    dropKept: database.prepare("DELETE FROM kept WHERE name = ?"),
    getKept: database.prepare("SELECT data FROM kept WHERE name = ?"),
    listKept: database.prepare("SELECT name FROM kept WHERE substr(name, 1, ?) = ? ORDER BY name"),
    putEvent: database.prepare("INSERT INTO events (id, body) VALUES (?, ?)"),
    dropEvent: database.prepare("DELETE FROM events WHERE id = ?"),
    putCounter: database.prepare(
      "INSERT INTO counters (name, value) VALUES ('resourceVersion', ?) " +
        "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    ),
  };
}
