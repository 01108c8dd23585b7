import { CONFIGS, REVISIONS } from "../configurations.ts";
import type { Inventory, InventoryKind } from "../inventory.ts";
import { DEPLOYMENTS } from "../older_programs.ts";
import { CERTIFICATES, ENVOYS, SERVICES } from "../operator_kinds.ts";
import { byWeight, type Remark } from "../remark.ts";
import { PODS } from "../sidecars.ts";
import { KEYS, keysElsewhere, unfinishedChanges } from "./authorities.ts";
import { inItsWay, installations, NAMESPACES, ROLE_BINDINGS } from "./programs.ts";
import { fieldsLost, keptObjects, madeAnew, movingEnvoys } from "./user_objects.ts";
import { verifyingSidecars } from "./verifying_sidecars.ts";

/** Kinds that {@linkcode planReturn} looks at. */
export const RETURN_KINDS: readonly InventoryKind[] = [
  ...[DEPLOYMENTS, CONFIGS, REVISIONS, SERVICES, CERTIFICATES, ENVOYS, PODS],
  ...[KEYS, ROLE_BINDINGS, NAMESPACES],
];

/** All there is to say before MARIN3R takes over again, what has to be done first first, in the order in which it is to be done. */
export function planReturn(inventory: Inventory): Remark[] {
  return byWeight([
    // While our operator is still there.
    ...unfinishedChanges(inventory),
    ...movingEnvoys(inventory),
    ...fieldsLost(inventory),
    ...installations(inventory),
    // When it is gone, for it would undo that.
    ...keysElsewhere(inventory),
    ...inItsWay(inventory),
    ...madeAnew(inventory),
    ...verifyingSidecars(inventory),
    ...keptObjects(inventory),
  ]);
}
