/**
 * What the Envoys of pods get of VirtualServices.
 * @module
 */
export type { Collision, Merged } from "./merge.ts";
export { type MeshInputs, type MeshPlan, type PlannedService, planVirtualServices } from "./plan.ts";
