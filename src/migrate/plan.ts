import type { Registry } from "../envoy/mod.ts";
import { CONFIGS, configurations, REVISIONS } from "./configurations.ts";
import type { Inventory, InventoryKind } from "./inventory.ts";
import { lifecycleManager, SERVICE_VERSIONS, SUBSCRIPTIONS } from "./lifecycle_manager.ts";
import { DEPLOYMENTS, olderPrograms } from "./older_programs.ts";
import { CERTIFICATES, ENVOYS, operatorKinds, SERVICES } from "./operator_kinds.ts";
import { byWeight, type Remark } from "./remark.ts";
import { PODS, sidecars } from "./sidecars.ts";
import { VIRTUAL_SERVICES, virtualServices } from "./virtual_services.ts";
import { WEBHOOKS, webhooks } from "./webhooks.ts";

/** Kinds that {@linkcode obstacles} looks at. */
export const OBSTACLE_KINDS: readonly InventoryKind[] = [SUBSCRIPTIONS, SERVICE_VERSIONS, DEPLOYMENTS, ...WEBHOOKS];

/** Kinds that {@linkcode planMigration} looks at. */
export const INVENTORY_KINDS: readonly InventoryKind[] = [
  ...OBSTACLE_KINDS,
  ...[CONFIGS, REVISIONS, SERVICES, CERTIFICATES, ENVOYS, VIRTUAL_SERVICES, PODS],
];

/**
 * What has to be out of the way before Chancery is installed, in the order in which it is to be done. `certManager`: cert-manager.io will
 * make the certificate of its webhook.
 */
export function obstacles(inventory: Inventory, options: { readonly certManager?: boolean } = {}): Remark[] {
  return programs(inventory, options).filter(({ weight }) => weight === "first");
}

/** All there is to say before the change, what has to be done first first. */
export function planMigration(inventory: Inventory, registry: Registry): Remark[] {
  return byWeight([
    ...programs(inventory),
    ...configurations(inventory, registry),
    ...operatorKinds(inventory),
    ...virtualServices(inventory),
    ...sidecars(inventory),
  ]);
}

/** Who installs the older program goes before it. */
function programs(inventory: Inventory, options: { readonly certManager?: boolean } = {}): Remark[] {
  return [...lifecycleManager(inventory), ...olderPrograms(inventory), ...webhooks(inventory, options)];
}
