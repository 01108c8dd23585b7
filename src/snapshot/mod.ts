/**
 * From the objects of one node to an immutable, checked, encoded snapshot. Pure: same objects, same bytes.
 * @module
 */
export type { Resource } from "./resource.ts";
export { type Snapshot, snapshotOf, type SnapshotOptions, type TypeSnapshot } from "./snapshot.ts";
