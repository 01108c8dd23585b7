/**
 * What becomes of what MARIN3R and l7mp-xds-operator have left, and of the way back to MARIN3R, said before anything is done. Pure: objects in, remarks out.
 * @module
 */
export { Inventory, type InventoryKind } from "./inventory.ts";
export { EARLIER_KINDS, type EarlierSchema, planReturn, RETURN_KINDS } from "./back/mod.ts";
export { INVENTORY_KINDS, OBSTACLE_KINDS, obstacles, planMigration } from "./plan.ts";
export type { Remark, Weight } from "./remark.ts";
