import type { Inventory } from "./inventory.ts";
import { kubectl, type Remark, remarkOn } from "./remark.ts";

/** What the Operator Lifecycle Manager installs by. */
export const SUBSCRIPTIONS = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription" } as const;
/** What it has installed. */
export const SERVICE_VERSIONS = { apiVersion: "operators.coreos.com/v1alpha1", kind: "ClusterServiceVersion" } as const;

/** A MARIN3R that the Operator Lifecycle Manager brings back whenever it is gone. */
export function lifecycleManager(inventory: Inventory): Remark[] {
  const subscriptions = inventory.of<{ readonly spec?: { readonly name?: string } }>(SUBSCRIPTIONS)
    .filter(({ spec }) => spec?.name === "marin3r")
    .map((object) =>
      remarkOn(object, "first", {
        message: "it installs MARIN3R anew",
        next: kubectl(object, `delete subscription.operators.coreos.com ${object.metadata.name}`),
      })
    );
  const versions = inventory.of(SERVICE_VERSIONS).filter(({ metadata: { name } }) => /^marin3r\./.test(name))
    .map((object) =>
      remarkOn(object, "first", {
        message: "it keeps MARIN3R running; without --cascade=orphan more would go with it",
        next: kubectl(object, `delete csv ${object.metadata.name} --cascade=orphan`),
      })
    );
  return [...subscriptions, ...versions];
}
