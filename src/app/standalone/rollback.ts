import { ANNOTATIONS } from "../../api/mod.ts";
import { ChanceryError, formatKey } from "../../base/mod.ts";
import { pinValue } from "../../reconcile/mod.ts";
import type { Store } from "../../store/mod.ts";
import type { RollbackAnswer, RollbackRequest } from "../admin/mod.ts";

/** Who writes the annotations: what is stated for one wish takes the last one back. */
const FIELD_MANAGER = "chancery-rollback";

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
  const { apiVersion, kind, metadata: { name, namespace, generation } } = object;
  const asked = "pin" in action ? { pin: pinValue(action.pin, generation) } : { retry: new Date(now).toISOString() };
  const annotations = Object.fromEntries(
    Object.entries(asked).map(([what, value]) => [ANNOTATIONS[what as keyof typeof ANNOTATIONS], value]), // both are there
  );
  await store.apply(
    { apiVersion, kind, metadata: { name, namespace, uid, annotations } },
    { fieldManager: FIELD_MANAGER, force: true },
  );
  return asked;
}
