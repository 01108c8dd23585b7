/**
 * Compares the kinds that the API server serves with those that this program knows.
 * @module
 */
export { tellOutdatedKinds } from "./outdated_kinds.ts";
