import type { Inventory } from "./inventory.ts";
import { type Deployment, isWorkingOperator, olderRole } from "./older/mod.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

/** Deployments, of which some run an older program. */
export const DEPLOYMENTS = { apiVersion: "apps/v1", kind: "Deployment" } as const;

/** MARIN3R's operator and webhook, which do what ours do: two operators undo each other's work. */
export function olderPrograms(inventory: Inventory): Remark[] {
  return inventory.of<Deployment>(DEPLOYMENTS).flatMap((deployment) => {
    const { metadata: { name } } = deployment;
    const role = olderRole(deployment);
    if (role === undefined) return [];
    if (isWorkingOperator(deployment)) {
      const message = "MARIN3R's operator runs here, and two operators undo each other's work";
      const next = kubectl(deployment, `scale deployment ${name} --replicas=0`);
      return [remarkOn(deployment, "first", { message, next })];
    }
    const message = `MARIN3R's ${role} is not needed any more once Chancery is installed; remove it then, not its CRDs`;
    return [remarkOn(deployment, "changes", { message, next: kubectl(deployment, `delete deployment ${name}`) })];
  });
}
