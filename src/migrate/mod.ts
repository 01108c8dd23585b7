/**
 * What becomes of what MARIN3R and l7mp-xds-operator have left, said before anything is done. Pure: objects in, remarks out.
 * @module
 */
export { Inventory, type InventoryKind } from "./inventory.ts";
export { INVENTORY_KINDS, OBSTACLE_KINDS, obstacles, planMigration } from "./plan.ts";
export type { Remark, Weight } from "./remark.ts";
