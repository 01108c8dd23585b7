import { ANNOTATIONS } from "../../api/mod.ts";
import { ChanceryError, formatKey } from "../../base/mod.ts";
import { pin, retry } from "../../reconcile/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { RollbackAnswer, RollbackRequest } from "./configs_document.ts";

/**
 * Asks for a version to be held, or for the wanted one to be tried again, which ends a pin. Throws `not-found`, and `conflict`
 * when the object is another one by now.
 */
export async function requestRollback(
  store: Store,
  { key, uid, action }: RollbackRequest,
  now: number,
): Promise<RollbackAnswer> {
  const object = await store.get(key);
  if (!object) throw new ChanceryError("not-found", `Cannot find ${formatKey(key)}: there is no such object`);
  if (object.metadata.uid !== uid) {
    throw new ChanceryError("conflict", `Cannot roll back ${formatKey(key)}: it was removed and made again`);
  }
  const steered = "pin" in action
    ? await pin(store, { key, version: action.pin, now })
    : await retry(store, { key, now });
  const annotations = (await store.get(key))?.metadata.annotations ?? {};
  const value = annotations["pin" in action ? ANNOTATIONS.pin : ANNOTATIONS.retry];
  return { ...steered, ...(value !== undefined && ("pin" in action ? { pin: value } : { retry: value })) };
}
