import type {
  ConfigsDocument,
  ConfigsQuery,
  HistoryDocument,
  RollbackAnswer,
  RollbackRequest,
  ServedDocument,
} from "../../app/documents/mod.ts";
import type { ObjectKey } from "../../base/mod.ts";

/** Where the verbs learn what is served: a standalone's admin interface, or whatever else can say the same. */
export interface Source {
  /** How messages call it. */
  readonly name: string;
  /** What has to be typed after a command to ask the same one again: empty, or ` --data DIR`. */
  readonly flags: string;
  /** The same for a command that changes something. */
  readonly changeFlags: string;
  configs(query?: ConfigsQuery): Promise<ConfigsDocument>;
  /** Throws `not-found`. */
  history(key: ObjectKey): Promise<HistoryDocument>;
  /** What a node id is served, with the bodies of the resources that are named as `TYPE/NAME`; throws `not-found`. */
  served(nodeId: string, wanted?: readonly string[]): Promise<ServedDocument>;
  /** Asks for a rollback; throws `forbidden` where nothing can be changed. */
  rollback(request: RollbackRequest): Promise<RollbackAnswer>;
}
