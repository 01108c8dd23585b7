import type { ReadEnvoyConfig } from "../../api/mod.ts";
import type { Built, CompiledSpec, Snapshot, Sources } from "../../snapshot/mod.ts";
import type { WatchedObject } from "../engine/object_source.ts";
import type { ClientReport, Replica } from "./client_reports.ts";
import type { ReadRevision } from "./revision.ts";

/** One EnvoyConfig as stored, and what reading it gave. */
export interface ConfigInput {
  readonly object: WatchedObject;
  readonly read: ReadEnvoyConfig;
}

/** One EnvoyConfigRevision of the node id. */
export interface RevisionInput extends ReadRevision {
  /**
   * Uid of the EnvoyConfig it belongs to, and whether that one has still the same node id: `moved` when it has another one
   * by now, `unknown` when there is no such EnvoyConfig.
   */
  readonly owner: { readonly uid: string | undefined; readonly state: "here" | "moved" | "unknown" };
}

/** What a node id is served now; the memory between two plans. */
export interface Served {
  readonly snapshot: Snapshot;
  /** Whether what is refused is tried again, because nothing better is left. */
  readonly retryRefused: boolean;
  /** What the last plan built, by version, for the next one. */
  readonly builds: ReadonlyMap<string, PastBuild>;
}

/** A build, and what it was made from besides Secrets and slices. */
export interface PastBuild {
  readonly spec: CompiledSpec;
  readonly rollbackCount: number;
  readonly built: Built;
}

/** What this replica saw of one publication. Times by its own clock that never goes back, for other machines' clocks may be off. */
export interface Seen {
  readonly publication: string;
  /** When it was seen first to be published. */
  readonly since: number;
  /** When it was seen first that an Envoy refuses it. */
  readonly refusedSince?: number;
  /** Since when all Envoys are seen to accept it. */
  readonly acceptedSince?: number;
  /** Envoys of replicas that are no more: so many are expected here in all until then. */
  readonly awaited?: { readonly count: number; readonly until: number; readonly of: readonly string[] };
}

/** All that decides about one node id; values only. */
export interface NodeInputs {
  readonly nodeId: string;
  /** Every EnvoyConfig with this node id, in any order. */
  readonly configs: readonly ConfigInput[];
  /** Every EnvoyConfigRevision with this node id, in any order. */
  readonly revisions: readonly RevisionInput[];
  /** The objects of the namespace of the config that is served. */
  readonly sources: Sources;
  readonly lastGood: ReadonlyMap<string, Uint8Array>;
  /** What the connected Envoys say. */
  readonly reports: readonly ClientReport[];
  readonly replica: Replica;
  /** Boot id by name of each replica that lives, this one included. */
  readonly replicas: ReadonlyMap<string, string>;
  /** Whether this replica decides; otherwise it does as the status of the EnvoyConfig says. */
  readonly leading: boolean;
  readonly served?: Served;
  readonly seen?: Seen;
  /** When this replica wrote its last report on this node id, in milliseconds since the epoch. */
  readonly reportWrittenAt?: number;
  /** Specs, Secrets and slices are the same as for the plan before, so that nothing needs to be built again. */
  readonly unchanged?: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonic: number;
}
