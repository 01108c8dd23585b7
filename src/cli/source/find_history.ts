import type { HistoryDocument } from "../../app/documents/mod.ts";
import { ChanceryError, type ObjectKey } from "../../base/mod.ts";
import { checkNames, neighbours } from "./names.ts";
import type { Source } from "./source.ts";

/** The history of one EnvoyConfig; throws `not-found` with what was probably meant. */
export async function findHistory(source: Source, key: ObjectKey): Promise<HistoryDocument> {
  try {
    return await source.history(key);
  } catch (thrown) {
    if (thrown instanceof ChanceryError && thrown.code === "not-found") {
      checkNames([key], await source.configs(neighbours(key, source)));
    }
    throw thrown;
  }
}
