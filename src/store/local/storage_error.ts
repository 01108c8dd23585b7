import { ChanceryError, errorMessage } from "../../base/mod.ts";

/** Primary result codes of SQLite, https://sqlite.org/rescode.html */
const ADVICE = new Map<number, string>([
  [5, "another program holds the file; end it"],
  [6, "another program holds the file; end it"],
  [8, "it is read-only; make the file and its directory writable for this user"],
  [10, "the disk reports an error; check the disk and the space left on it"],
  [13, "the disk is full; free some space, then it is tried again"],
  [14, "it cannot be opened; check the permissions of the directory"],
]);
const DAMAGED = new Set([11, 26]);

/** What to do about a damaged database. */
export const DAMAGED_ADVICE =
  `the file is damaged; restore a copy made by "chancery backup", or move it away to start anew from the directory`;

/**
 * What SQLite or the file system threw, as an `unavailable` that says what to do. Only fixed words of SQLite are shown:
 * its messages may quote statements.
 */
export function storageError(doing: string, path: string, thrown: unknown): ChanceryError {
  if (thrown instanceof ChanceryError) return thrown;
  return new ChanceryError("unavailable", `Cannot ${doing} "${path}": ${reason(thrown)}`, {
    retryable: !DAMAGED.has(sqliteCode(thrown) ?? 0),
  });
}

function reason(thrown: unknown): string {
  const code = sqliteCode(thrown);
  if (code !== undefined && DAMAGED.has(code)) return DAMAGED_ADVICE;
  const advice = code === undefined ? undefined : ADVICE.get(code);
  if (advice !== undefined) return advice;
  if (thrown instanceof Deno.errors.PermissionDenied) return "permission denied; check owner and mode of the directory";
  if (thrown instanceof Deno.errors.NotADirectory) return "a part of the path is no directory";
  if (code !== undefined && thrown instanceof Error && "errstr" in thrown) return String(thrown.errstr);
  return errorMessage(thrown);
}

/** The primary result code: extended codes carry it in their low byte. */
function sqliteCode(thrown: unknown): number | undefined {
  const known = thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number";
  return known ? (thrown.errcode as number) & 0xff : undefined; // checked in the line above
}
