import { ChanceryError, errorMessage } from "../../base/mod.ts";

/** What to do about a damaged database. */
export const DAMAGED_ADVICE =
  `the file is damaged; restore a copy made by "chancery backup", or move it away to start anew from the directory`;

const BUSY = "another program holds the file; end it";
const READ_ONLY = "it is read-only; make the file and its directory writable for this user";
const FULL = "the disk is full; free some space, then it is tried again";

interface Trouble {
  /** Primary result code, https://sqlite.org/rescode.html */
  readonly code: number;
  /** SQLite's own words for it: `exec()` throws errors without a code. */
  readonly words: string;
  readonly advice: string;
}

const TROUBLES: readonly Trouble[] = [
  { code: 5, words: "database is locked", advice: BUSY },
  { code: 6, words: "database table is locked", advice: BUSY },
  { code: 8, words: "attempt to write a readonly database", advice: READ_ONLY },
  { code: 10, words: "disk I/O error", advice: "the disk reports an error; check the disk and the space left on it" },
  { code: 11, words: "database disk image is malformed", advice: DAMAGED_ADVICE },
  { code: 13, words: "database or disk is full", advice: FULL },
  {
    code: 14,
    words: "unable to open database file",
    advice: "it cannot be opened; check the permissions of its directory",
  },
  { code: 26, words: "file is not a database", advice: DAMAGED_ADVICE },
];

const FILE_TROUBLES = new Map<string, string>([
  ["EACCES", "permission denied; check owner and mode of the directory"],
  ["EPERM", "permission denied; check owner and mode of the directory"],
  ["EROFS", READ_ONLY],
  ["ENOSPC", FULL],
  ["EDQUOT", FULL],
  ["ENOTDIR", "a part of the path is no directory"],
  ["ENOENT", "a part of the path does not exist"],
]);

/**
 * What SQLite or the file system threw, as an `unavailable` that says what to do. Only fixed words are shown where SQLite
 * speaks: its messages may quote statements.
 */
export function storageError(doing: string, path: string, thrown: unknown): ChanceryError {
  if (thrown instanceof ChanceryError) return thrown;
  const advice = adviceFor(thrown);
  return new ChanceryError("unavailable", `Cannot ${doing} "${path}": ${advice}`, {
    retryable: advice !== DAMAGED_ADVICE,
  });
}

function adviceFor(thrown: unknown): string {
  if (!(thrown instanceof Error)) return errorMessage(thrown);
  const code = "code" in thrown ? String(thrown.code) : "";
  if (code === "ERR_SQLITE_ERROR") return sqliteAdvice(thrown);
  return FILE_TROUBLES.get(code) ?? thrown.message;
}

function sqliteAdvice(thrown: Error): string {
  // extended codes carry the primary one in their low byte
  const code = "errcode" in thrown && typeof thrown.errcode === "number" ? thrown.errcode & 0xff : undefined;
  const known = TROUBLES.find((trouble) => trouble.code === code || thrown.message.startsWith(trouble.words));
  return known?.advice ?? ("errstr" in thrown ? String(thrown.errstr) : "SQLite reports an error");
}
