import type { Snapshot } from "../../snapshot/mod.ts";

/**
 * What some clients get besides the configuration of their node id, because they are who they are: several may share a node id, and
 * each has its own. Immutable.
 */
export interface Layer {
  /**
   * Both together, or the layer alone where nobody configures the node id; the configuration of the node id goes before. What
   * `previous` said already keeps its identity.
   */
  over(base: Snapshot | undefined, previous: Snapshot | undefined): Snapshot;
}
