import type { ReadEnvoyConfig } from "../../api/mod.ts";
import type { BuildCache, Snapshot, Sources } from "../../snapshot/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";

/** One EnvoyConfig as stored, and what reading it gave. */
export interface ConfigInput {
  readonly object: WatchedObject;
  readonly read: ReadEnvoyConfig;
}

/** What a node id is served now; the memory between two plans. */
export interface Served {
  readonly snapshot: Snapshot;
  /** For the next build. */
  readonly cache: BuildCache;
}

/** All that decides about one node id; values only. */
export interface NodeInputs {
  readonly nodeId: string;
  /** Every EnvoyConfig with this node id, in any order. */
  readonly configs: readonly ConfigInput[];
  /** The objects of the namespace of the config that is served. */
  readonly sources: Sources;
  readonly lastGood: ReadonlyMap<string, Uint8Array>;
  readonly served?: Served;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
