import { sameStatus } from "../../api/mod.ts";
import { ChanceryError } from "../../base/mod.ts";
import { keyOf, type ObjectStore, type WatchedObject } from "./object_source.ts";

/** The status an object should have. */
export interface WantedStatus {
  /** The object as it was when the plan was made. */
  readonly object: WatchedObject;
  readonly status: Record<string, unknown>;
}

/**
 * Writes the statuses that say something else than the stored ones (I19), each against the version the plan saw, so that
 * nothing newer is overwritten. An object that is gone needs none. The first error is thrown after all were tried. Returns what
 * was written.
 */
export async function applyStatuses(
  wanted: readonly WantedStatus[],
  store: Pick<ObjectStore, "updateStatus">,
): Promise<WatchedObject[]> {
  const written: WatchedObject[] = [];
  let failure: unknown;
  for (const { object, status } of wanted) {
    if (sameStatus(object.status, status)) continue;
    const { resourceVersion } = object.metadata;
    try {
      const options = resourceVersion === undefined ? {} : { resourceVersion };
      written.push(await store.updateStatus(keyOf(object), status, options));
    } catch (error) {
      if (error instanceof ChanceryError && error.code === "not-found") continue;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return written;
}
