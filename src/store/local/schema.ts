/** "Chan" in ASCII, so that a foreign database is not taken for ours. */
export const APPLICATION_ID = 0x4368616e;

/** Each entry brings the database from the version before (its index) to the next. Entries are only ever added. */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE objects (
    kind TEXT NOT NULL,
    namespace TEXT NOT NULL,
    name TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (kind, namespace, name)
  ) STRICT;
  CREATE TABLE kept (name TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE events (ordinal INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, body TEXT NOT NULL) STRICT;
  CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT;
  `,
];

/** The version that this program writes. */
export const SCHEMA_VERSION = MIGRATIONS.length;
