import type {
  ConfigsDocument,
  ConfigsQuery,
  HistoryDocument,
  RollbackAnswer,
  RollbackRequest,
  ServedDocument,
} from "../../app/documents/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";

import type { LabelTerm } from "./selector.ts";

/** Where the verbs learn what is served: a standalone's admin interface, or the objects in a cluster. */
export interface Source extends AsyncDisposable {
  /** How messages call it. */
  readonly name: string;
  /** Where a change takes effect, to be put behind what changes: empty, or ` in …`. */
  readonly place: string;
  /** What has to be typed after a command to ask the same one again: empty, or ` --data DIR`. */
  readonly flags: string;
  /** The same for a command that changes something. */
  readonly changeFlags: string;
  /** The namespace that is meant where none is named; `undefined`: all of them, and `default` for a NAME alone. */
  readonly namespace: string | undefined;
  configs(query?: SourceQuery): Promise<ConfigsDocument>;
  /** The same, and again when it may have changed, but not more often than every so many milliseconds; ends with the signal. */
  follow(query: SourceQuery, options: FollowOptions): AsyncIterable<ConfigsDocument>;
  /** Throws `not-found`. */
  history(key: ObjectKey): Promise<HistoryDocument>;
  /**
   * What the node id of an EnvoyConfig is served, with the bodies of the resources that are named as `TYPE/NAME`; throws
   * `not-found`.
   */
  served(nodeId: string, options: ServedQuery): Promise<ServedDocument>;
  /** Asks for a rollback; throws `forbidden` where nothing can be changed. */
  rollback(request: RollbackRequest): Promise<RollbackAnswer>;
}

/** Which EnvoyConfigs are asked for. */
export interface SourceQuery extends ConfigsQuery {
  /** A source may answer with more than these. */
  readonly labels?: { readonly matchExpressions: readonly LabelTerm[] };
}

/** How changes are told. */
export interface FollowOptions {
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/** What exactly is asked of a node id. */
export interface ServedQuery {
  /** Namespace to look in first. */
  readonly namespace: string;
  /** Resources to spell out. */
  readonly wanted?: readonly string[];
}
