import type { Snapshot } from "../snapshot/mod.ts";

/**
 * Where finished snapshots go: the xDS hub. A snapshot knows its revision; several revisions of one node id at a time (canary)
 * will be further methods here.
 */
export interface SnapshotSink {
  /** From now on the node id gets this. Called only when something changed. */
  set(nodeId: string, snapshot: Snapshot): void;
  /** Nobody configures this node id any more. */
  gone(nodeId: string): void;
}

/** Where last good bytes outlive the process; the local store has such a shelf. */
export interface Shelf {
  kept(key: string): Uint8Array | undefined | Promise<Uint8Array | undefined>;
  keep(key: string, data: Uint8Array): void | Promise<void>;
  forget(key: string): void | Promise<void>;
}
