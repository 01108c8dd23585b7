/**
 * Which pods are not what they would be if they were made now: sidecars against what the webhook puts in, the pods of the operator
 * against their templates and its images. Pure.
 * @module
 */
export type { PodDifference } from "./differences.ts";
export { envoyFacts, judgePod, type PodRole, type PodState, type PodVerdict } from "./judge.ts";
export { Owners, type PodOwner } from "./owners.ts";
export type { Container, LiveObject, Pod } from "./pod.ts";
export type { Images, PodWorld } from "./world.ts";
