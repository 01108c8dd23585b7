/**
 * What the roles share that look after objects of a cluster: groups of controllers, each run by whoever holds its Lease.
 * @module
 */
export { certificateGroup } from "./certificates.ts";
export type { ControllerGroup, GroupParts, OpenGroup } from "./group.ts";
export type { CertificateOptions, ControllersOptions } from "./options.ts";
export { type ControllersParts, type RunningControllers, startControllers } from "./start.ts";
export { tellFailure } from "./tell_failure.ts";
