/**
 * DiscoveryServices and what is made of them.
 * @module
 */
export { discoveryServiceKind, type DiscoveryServiceKindOptions } from "./controlled.ts";
