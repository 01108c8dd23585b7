import type { Snapshot } from "../snapshot/mod.ts";

/**
 * Where finished snapshots go: the xDS hub. A snapshot knows its revision; several revisions of one node id at a time (canary)
 * will be further methods here.
 */
export interface SnapshotSink {
  /**
   * From now on the node id gets this. Called only when something changed. `retryRefused`: what is refused is to be tried
   * again, ever more rarely, because nothing better is left.
   */
  set(nodeId: string, snapshot: Snapshot, options: { readonly retryRefused: boolean }): void;
  /** Nobody configures this node id any more. */
  gone(nodeId: string): void;
}

/** Where last good bytes outlive the process; the local store is such a shelf. */
export interface Shelf {
  kept(name: string): Promise<Uint8Array | undefined>;
  keep(name: string, data: Uint8Array): Promise<void>;
  forget(name: string): Promise<void>;
  keptNames(prefix: string): Promise<string[]>;
}
