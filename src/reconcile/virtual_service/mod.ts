/**
 * What the Envoys of pods get of VirtualServices.
 * @module
 */
export { clientKeys, type ClientTrust } from "./client_keys.ts";
export { type ServiceReport, VirtualServiceController, type VirtualServiceControllerOptions } from "./controller.ts";
export type { Collision, Merged } from "./merge.ts";
export { type MeshInputs, type MeshPlan, type PlannedService, planVirtualServices } from "./plan.ts";
