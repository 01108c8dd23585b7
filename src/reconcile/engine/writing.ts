import { ChanceryError } from "../../base/mod.ts";

/** The name under which everything is written. */
export const FIELD_MANAGER = "chancery";

/**
 * To be asked before each write.
 * @throws {ChanceryError} `conflict` when another replica leads
 */
export function checkLeading(leading: () => boolean): void {
  if (!leading()) throw new ChanceryError("conflict", "Cannot write: another replica leads by now");
}

/** Whether somebody else wrote meanwhile. */
export function isConflict(error: unknown): boolean {
  return error instanceof ChanceryError && error.code === "conflict";
}
