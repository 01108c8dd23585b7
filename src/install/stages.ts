import type { InstalledObjects } from "./installed_objects.ts";
import type { KubeObject } from "./kube_object.ts";

/**
 * What is applied together; each stage has to be settled before the next: kinds before roles and pods, and the API server is told to
 * ask the webhook only when somebody answers, so that nobody is refused meanwhile.
 */
export function installStages(objects: InstalledObjects): readonly (readonly KubeObject[])[] {
  const { crds, webhookConfigurations, ...rest } = objects;
  return [crds, Object.values(rest).flat(), webhookConfigurations].filter(({ length }) => length > 0);
}

/** What is removed, in order, and what stays. */
export interface Removal {
  readonly removed: readonly KubeObject[];
  readonly kept: readonly KubeObject[];
}

/**
 * The other way round. Kinds stay unless they are to go, for with them goes every EnvoyConfig; with them stays what the discovery
 * services that run need: their role, and the namespace, in which the keys of certificate authorities may lie.
 */
export function removalOf(objects: InstalledObjects, { deleteCrds }: { readonly deleteCrds: boolean }): Removal {
  const { webhookConfigurations, crds, namespace, sharedRoles, ...rest } = objects;
  const parts = Object.values(rest).flat().reverse();
  const lasting = [...crds, ...sharedRoles, ...namespace];
  return deleteCrds
    ? { removed: [...webhookConfigurations, ...crds, ...parts, ...sharedRoles, ...namespace], kept: [] }
    : { removed: [...webhookConfigurations, ...parts], kept: lasting };
}
